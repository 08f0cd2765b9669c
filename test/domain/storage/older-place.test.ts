import { expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'

it('a store from before storage gets its first class and instance once, and keeps a deleted class deleted', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'storage')
  const { filled, place } = await olderPlace(older, api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const at = { workspace: filled.workspace, engine: 'native' }
  await whileOpen(place, async ({ storage }) => {
    expect(await doctorFindings(place)).toEqual([])
    expect((await storage.listStorageClasses(at)).storage_classes).toMatchObject([{ name: 'standard' }])
    const { instances } = await storage.listStorageClassInstances({ storage_class: 'standard' })
    expect(instances).toMatchObject([{ name: 'standard-local', location: 'local' }])
    const { resource_id: id } = await storage.createBucket({ ...at, body: { name: 'docs' } })
    expect(await doctorFindings(place)).toEqual([])
    await storage.deleteBucket({ ...at, id })
    await storage.deleteStorageClass({ engine: 'native', id: 'standard' })
  })
  await whileOpen(place, async ({ storage }) => {
    expect((await storage.listStorageClasses(at)).storage_classes).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  })
})
