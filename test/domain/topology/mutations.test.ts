import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../domain/ports/store.ts'
import { references } from '../../../domain/resources/references.ts'
import { locationCollection } from '../../../domain/topology/sites/locations-store.ts'
import { multiRegionCollection } from '../../../domain/topology/sites/multi-regions-store.ts'
import { regionCollection } from '../../../domain/topology/sites/regions-store.ts'
import { targetCollection } from '../../../domain/topology/sites/targets-store.ts'
import { zoneCollection } from '../../../domain/topology/sites/zones-store.ts'
import type { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { mutationCount, randomMutations } from '../../areas/random-mutations.ts'
import { addRegions } from '../../areas/regions.ts'
import { whileOpen } from '../../areas/while-open.ts'
import { testPlatform } from '../../areas/test-platform.ts'
import { copyPlace, openBeside, testStorePlace } from '../../server/store/left-place.ts'
import { patch, remove } from '../taxonomy/broken-store.ts'
import { siteKinds } from './random-kinds.ts'
import { afterTests } from '../../undo.ts'

describe('after random mutations', () => {
  it('the doctor finds nothing', { timeout: 120_000 + mutationCount * 100 }, async () => {
    const platform = await testPlatform()
    const { api } = await platform.admin()
    await addRegions(api, ['wood', 'grove'])
    const outcomes = await randomMutations({ seed: 17, count: mutationCount, api, make: siteKinds })
    const done = [...outcomes.keys()].filter(key => key.endsWith(': DONE'))
    expect(done.toSorted()).toEqual(
      ['location', 'multi-region', 'pool', 'target', 'zone'].flatMap(kind =>
        ['create', 'delete', 'update'].map(verb => `${kind} ${verb}: DONE`),
      ),
    )
    const refusals = [
      'ETAG_MISMATCH',
      'LOCATION_NOT_APPROVED',
      'ZONE_NOT_FOUND',
      'ZONE_IN_USE',
      'DEPLOYMENT_TARGET_ALREADY_EXISTS',
      'DEPLOYMENT_TARGET_IN_USE',
      'DEPLOYMENT_TARGET_CAPACITY_IN_USE',
      'RESOURCE_POOL_LOCATION_MISMATCH',
      'RESOURCE_POOL_ALREADY_EXISTS',
      'RESOURCE_POOL_EXCEEDS_TARGET',
      'NUMA_LAYOUT_INVALID',
    ]
    for (const reason of mutationCount < 5000 ? [] : refusals) {
      expect([...outcomes.keys()].join('\n')).toContain(reason)
    }
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('the doctor', () => {
  let left: StorePlace
  let ids: Readonly<Record<'target' | 'location' | 'region' | 'zone' | 'set', string>>

  beforeAll(async () => {
    left = await testStorePlace(afterTests)
    ids = await whileOpen(left, fill)
  })

  async function fill(api: Ninefold) {
    const { topology } = api
    await addRegions(api, ['east'])
    const { resource_id: zone } = await topology.createZone({ body: { name: 'east-a', location: 'east' } })
    const body = { name: 'pair', regions: ['local1', 'east'] }
    const { resource_id: set } = await topology.createMultiRegion({ body })
    const { id: target } = await topology.getDeploymentTarget({ id: 'east' })
    const { id: location } = await topology.getLocation({ id: 'east' })
    const { id: region } = await topology.getRegion({ id: 'east' })
    return { target, location, region, zone, set }
  }

  const removeReference = async (tx: Transaction, target_id: string, holder_id: string): Promise<void> => {
    for await (const each of tx.each(references, { target_id, holder_id }))
      await tx.delete(references, each.id, each.version)
  }

  const tampered: readonly (readonly [string, (tx: Transaction) => Promise<unknown>, () => readonly string[]])[] = [
    [
      'a zone of another region than its location',
      tx => patch(tx, zoneCollection, ids.zone, { region: 'local1' }),
      () => [`topology.zones ${ids.zone}: has the region "local1", but its location east is in "east"`],
    ],
    [
      'an approved location without a region',
      tx => patch(tx, locationCollection, ids.location, { region: '' }),
      () => [
        `topology.locations ${ids.location}: is TOPOLOGY_LOCATION_STATE_ENABLED with the region ""; a location has a region if and only if it is approved`,
        `topology.zones ${ids.zone}: has the region "east", but its location east is in ""`,
      ],
    ],
    [
      'a region that is gone',
      async tx => {
        await removeReference(tx, ids.region, ids.set)
        await remove(tx, regionCollection, ids.region)
      },
      () => [
        `topology.locations ${ids.location}: is approved into the region east, which does not exist`,
        `topology.multiRegions ${ids.set}: names the region east, which does not exist`,
      ],
    ],
    [
      'a multi-region without a reference to its region',
      tx => removeReference(tx, ids.region, ids.set),
      () => [`topology.multiRegions ${ids.set}: names the region east without a recorded reference`],
    ],
    [
      'a multi-region that forgot a region',
      tx => patch(tx, multiRegionCollection, ids.set, { regions: ['local1'] }),
      () => [`topology.multiRegions ${ids.set}: has 2 references to regions, but names 1`],
    ],
    [
      'a target at a location that does not exist',
      tx => patch(tx, targetCollection, ids.target, { location: 'nowhere' }),
      () => [
        `topology.deploymentTargets ${ids.target}: names topology.locations nowhere, which does not exist`,
        `topology.deploymentTargets ${ids.target}: uses topology.locations nowhere without a reference, so that this could be deleted`,
      ],
    ],
    [
      'a zone without a reference to its location',
      tx => removeReference(tx, ids.location, ids.zone),
      () => [
        `topology.zones ${ids.zone}: uses topology.locations ${ids.location} without a reference, so that this could be deleted`,
      ],
    ],
  ]

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    expect((await doctorFindings(place)).toSorted()).toEqual(expected().toSorted())
  })
})
