import { beforeAll, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { addRegions } from '../../areas/regions.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { usingArea, type Using } from './using-area.ts'
import { afterTests } from '../../undo.ts'

let api: Ninefold['topology']
let using: Using

beforeAll(async () => {
  const { calls, module } = usingArea()
  const platform = await testPlatform({ later: afterTests, areas: [...areas, module] })
  const admin = await platform.admin()
  api = admin.api.topology
  using = calls()
  await addRegions(admin.api, ['east', 'west', 'south'])
})

it('knows a region whatever its state, and no other name', async () => {
  await api.disableLocation({ id: 'east', body: {} })
  expect(await using.hasRegion('east')).toBe(true)
  await api.enableLocation({ id: 'east', body: {} })
  for (const name of ['East', 'nowhere', '', 'local']) expect(await using.hasRegion(name)).toBe(false)
})

it('tells whether a zone takes work, by its cordon and its location', async () => {
  const { resource_id: id } = await api.createZone({ body: { name: 'east-a', location: 'east' } })
  expect(await using.useZone('east-a')).toEqual({ id, name: 'east-a', region: 'east', isAvailable: true })
  await api.disableLocation({ id: 'east', body: {} })
  await expect(using.useZone('east-a')).rejects.toMatchObject({ reason: 'ZONE_SHUT' })
  await api.enableLocation({ id: 'east', body: {} })
  await api.updateZone({ id: 'east-a', update_mask: 'schedulable', body: { schedulable: false } })
  await expect(using.useZone('east-a')).rejects.toMatchObject({ reason: 'ZONE_SHUT' })
  for (const name of [id, 'east', 'nowhere']) {
    await expect(using.useZone(name)).rejects.toMatchObject({ reason: 'ZONE_ABSENT' })
  }
})

it('keeps a zone that something refers to', async () => {
  await expect(api.deleteZone({ id: 'east-a' })).rejects.toMatchObject({
    reason: 'ZONE_IN_USE',
    rpc: 'FAILED_PRECONDITION',
    response: { status: 400 },
    details: { precondition: [{ type: 'using.things', description: '1 left' }] },
  })
  await using.release()
  await api.deleteZone({ id: 'east-a' })
  await expect(api.getZone({ id: 'east-a' })).rejects.toMatchObject({ reason: 'ZONE_NOT_FOUND' })
})

it('keeps the regions of a multi-region that something refers to, and lets it have more', async () => {
  await api.createMultiRegion({ body: { name: 'pair', regions: ['east', 'west'] } })
  expect(await using.useMultiRegion('pair')).toEqual(['east', 'west'])
  const change = (regions: string[]) => api.updateMultiRegion({ id: 'pair', update_mask: 'regions', body: { regions } })
  const inUse = {
    reason: 'MULTI_REGION_IN_USE',
    rpc: 'FAILED_PRECONDITION',
    details: { precondition: [{ type: 'using.things', description: '1 left' }] },
  }
  await expect(change(['south', 'west'])).rejects.toMatchObject(inUse)
  await expect(api.deleteMultiRegion({ id: 'pair' })).rejects.toMatchObject(inUse)
  await change(['south', 'west', 'east'])
  await using.release()
  await change(['south', 'west'])
  await api.deleteMultiRegion({ id: 'pair' })
  await expect(using.useMultiRegion('pair')).rejects.toMatchObject({ reason: 'MULTI_REGION_ABSENT' })
})
