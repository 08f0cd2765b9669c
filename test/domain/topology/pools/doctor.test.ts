import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { references } from '../../../../domain/resources/references.ts'
import { poolCollection, type StoredPool } from '../../../../domain/topology/pools/pools-store.ts'
import { zoneLedgers } from '../../../../domain/topology/pools/zone-ledger.ts'
import { targetCollection } from '../../../../domain/topology/sites/targets-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addRegions } from '../../../areas/regions.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { patch } from '../../taxonomy/broken-store.ts'
import { afterTests } from '../../../undo.ts'

let left: StorePlace
let ids: Readonly<Record<'pool' | 'target' | 'zone', string>>

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  ids = await whileOpen(left, fill)
})

const capacity = { vcpus: 8, memory_mib: 1024, disk_gib: 10 }

/** Creates a pool with the whole capacity of its target; returns the ids of the pool, the target and the zone. */
async function fill(api: Ninefold) {
  const { topology } = api
  await addRegions(api, ['east'])
  const node = { vcpus: 4, memory_mib: 512 }
  const numa_nodes = [node, node]
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  const host = { name: 'host', location: 'east', driver, capacity, numa_nodes } as const
  const { resource_id: target } = await topology.registerDeploymentTarget({ body: host })
  const { resource_id: zone } = await topology.createZone({ body: { name: 'east-a', location: 'east' } })
  const body = { name: 'pool', zone: 'east-a', deployment_target: 'host', capacity, numa_nodes }
  const { resource_id: pool } = await topology.createResourcePool({ body })
  return { pool, target, zone }
}

type Change = (tx: Transaction) => Promise<unknown>

const pool =
  (members: Partial<StoredPool>): Change =>
  tx =>
    patch(tx, poolCollection, ids.pool, members)

const tampered: readonly (readonly [string, Change, () => readonly string[]])[] = [
  [
    'a pool that can allocate something else than follows from its capacity',
    pool({ allocatable: { ...capacity, disk_gib: 9 } }),
    () => [
      `topology.resourcePools ${ids.pool}: has 10 disk_gib available; it must be 9`,
      `topology.resourcePools ${ids.pool}: has 9 disk_gib allocatable; it must be 10`,
    ],
  ],
  [
    'a pool with more available than is left',
    pool({ available: { ...capacity, vcpus: 9 } }),
    () => [`topology.resourcePools ${ids.pool}: has 9 vcpus available; it must be 8`],
  ],
  [
    'a pool that reserves more than it has',
    pool({
      reserved: { vcpus: 0, memory_mib: 0, disk_gib: 11 },
      allocatable: { ...capacity, disk_gib: -1 },
      available: { ...capacity, disk_gib: -1 },
    }),
    () => [
      `topology.resourcePools ${ids.pool}: has 0 disk_gib allocated, more than the -1 that can be`,
      `topology.resourcePools ${ids.pool}: reserves 11 disk_gib, more than its capacity of 10`,
    ],
  ],
  [
    'a pool whose NUMA nodes have more than it',
    pool({
      numa_nodes: [
        { vcpus: 4, memory_mib: 512 },
        { vcpus: 4, memory_mib: 513 },
      ],
    }),
    () => [
      `topology.deploymentTargets ${ids.target}: has 512 memory_mib in NUMA node 1; its pools have 513 there`,
      `topology.resourcePools ${ids.pool}: has NUMA nodes of 1025 memory_mib, more than its capacity of 1024`,
    ],
  ],
  [
    'a pool with a NUMA node that its target lacks',
    pool({
      numa_nodes: [0, 1, 2].map(() => ({ vcpus: 1, memory_mib: 1 })),
      pinned: '0:0 0:0 0:0',
    }),
    () => [`topology.deploymentTargets ${ids.target}: has 0 vcpus in NUMA node 2; its pools have 1 there`],
  ],
  [
    'a pinned use that is none',
    pool({ pinned: '0:0 x' }),
    () => [`topology.resourcePools ${ids.pool}: has the pinned use "0:0 x", which does not fit its NUMA nodes`],
  ],
  [
    'more pinned to a NUMA node than it has',
    pool({ pinned: '0:0 0:513' }),
    () => [`topology.resourcePools ${ids.pool}: has 513 memory_mib pinned to NUMA node 1; it has 512`],
  ],
  [
    'a pool in another location than its zone',
    pool({ zone: 'local1-a' }),
    () => [
      `topology.resourcePools ${ids.pool}: is of zone local1-a in local, but on a target in east`,
      expect.stringMatching(/^topology\.resourcePools \S+: uses topology\.zones \S+ without a reference/),
    ],
  ],
  [
    'a pool without a reference to its target',
    async tx => {
      for await (const each of tx.each(references, { target_id: ids.target, holder_id: ids.pool }))
        await tx.delete(references, each.id, each.version)
    },
    () => [
      `topology.resourcePools ${ids.pool}: uses topology.deploymentTargets ${ids.target} without a reference, so that this could be deleted`,
    ],
  ],
  [
    'a target that has less than its pools',
    tx => patch(tx, targetCollection, ids.target, { capacity: { ...capacity, vcpus: 7 } }),
    () => [`topology.deploymentTargets ${ids.target}: has 7 vcpus; its pools have 8`],
  ],
  [
    'a row of changes that outlived its zone',
    tx => tx.insert(zoneLedgers, { id: 'gone' }),
    () => ['topology.zones gone: has a row for the changes of its pools, but does not exist'],
  ],
]

describe('the doctor', () => {
  it('finds nothing about pools as they are made', async () => {
    expect(await doctorFindings(left)).toEqual([])
  })

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(change)
    await store.close()
    const found = await doctorFindings(place)
    // The check of the ledger may have further findings.
    for (const finding of expected()) expect(found).toContainEqual(finding)
  })
})
