import { expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { addTenant } from '../../areas/members.ts'
import { olderPlace } from '../../areas/older-place.ts'
import { whileOpen } from '../../areas/while-open.ts'

it('a store from before the registry takes repositories in its workspaces', async () => {
  const older = areas.map(({ domain }) => domain.name).filter(name => name !== 'registry')
  const { filled, place } = await olderPlace(older, api => addTenant(api, 'acme'))
  await expect(doctorFindings(place)).rejects.toThrow()
  const at = { workspace: filled.workspace, engine: 'native' }
  await whileOpen(place, async ({ registry }) => {
    expect(await doctorFindings(place)).toEqual([])
    expect((await registry.listRepositories(at)).repositories).toEqual([])
    await registry.createRepository({ ...at, body: { name: 'api' } })
    expect(await doctorFindings(place)).toEqual([])
  })
  await whileOpen(place, async ({ registry }) => {
    expect((await registry.listRepositories(at)).repositories).toMatchObject([{ name: 'api', artifact_count: 0 }])
    expect(await doctorFindings(place)).toEqual([])
  })
})
