import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import {
  allocationId,
  allocations,
  type StoredAllocation,
} from '../../../../domain/topology/pools/allocations-store.ts'
import { poolCollection, type StoredPool } from '../../../../domain/topology/pools/pools-store.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { addRegions } from '../../../areas/regions.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { patch } from '../../taxonomy/broken-store.ts'
import { consumerOf, usingArea } from '../using-area.ts'
import { afterTests } from '../../../undo.ts'

let left: StorePlace
let ids: Readonly<Record<'pool' | 'zone', string>>

const { calls, module } = usingArea()
const mounted = [...areas, module]
const [idle, guest] = [consumerOf('idle'), consumerOf('guest')].map(allocationId)

beforeAll(async () => {
  left = await testStorePlace(afterTests)
  ids = await whileOpen(left, fill, mounted)
})

const capacity = { vcpus: 8, memory_mib: 1024, disk_gib: 10 }
const node = { vcpus: 4, memory_mib: 512 }

/**
 * Creates a pool with two allocations: `idle` without NUMA nodes, and `guest` with two NUMA nodes. Returns the ids of
 * the zone and the pool.
 */
async function fill(api: Ninefold) {
  const { topology } = api
  await addRegions(api, ['east'])
  const driver = 'TOPOLOGY_DRIVER_SIMULATED'
  const numa_nodes = [node, node]
  await topology.registerDeploymentTarget({ body: { name: 'host', location: 'east', driver, capacity, numa_nodes } })
  const { resource_id: zone } = await topology.createZone({ body: { name: 'east-a', location: 'east' } })
  const body = { name: 'pool', zone: 'east-a', deployment_target: 'host', capacity, numa_nodes }
  const { resource_id: pool } = await topology.createResourcePool({ body })
  const using = calls()
  await using.allocate('east-a', { vcpus: 1, memory_mib: 100, disk_gib: 1 }, 'idle')
  const numa = [
    { vcpus: 2, memory_mib: 200 },
    { vcpus: 1, memory_mib: 100 },
  ]
  await using.allocate('east-a', { vcpus: 3, memory_mib: 300, disk_gib: 2, numa }, 'guest')
  return { zone, pool }
}

type Change = (tx: Transaction) => Promise<unknown>

const pool =
  (members: Partial<StoredPool>): Change =>
  tx =>
    patch(tx, poolCollection, ids.pool, members)

const allocation =
  (id: string | undefined, members: Partial<StoredAllocation>): Change =>
  tx =>
    patch(tx, allocations, id ?? '', members)

async function remove(tx: Transaction, id = ''): Promise<void> {
  const stored = await tx.lock(allocations, id)
  if (stored) await tx.delete(allocations, id, stored.version)
}

const poolType = 'topology.resourcePools'
const type = 'topology.allocations'

const tampered: readonly (readonly [string, Change, () => readonly string[]])[] = [
  [
    'a pool with more allocated than the ledger has',
    pool({
      allocated: { vcpus: 5, memory_mib: 400, disk_gib: 3 },
      available: { vcpus: 3, memory_mib: 624, disk_gib: 7 },
    }),
    () => [`${poolType} ${ids.pool}: has 5 vcpus allocated; the ledger has 4`],
  ],
  [
    'a pool with less allocated than the ledger has',
    pool({
      allocated: { vcpus: 4, memory_mib: 0, disk_gib: 2 },
      available: { vcpus: 4, memory_mib: 1024, disk_gib: 8 },
    }),
    () => [
      `${poolType} ${ids.pool}: has 0 memory_mib allocated; the ledger has 400`,
      `${poolType} ${ids.pool}: has 2 disk_gib allocated; the ledger has 3`,
    ],
  ],
  [
    'a pool that counts another number of allocations',
    pool({ allocation_count: 3 }),
    () => [`${poolType} ${ids.pool}: counts 3 allocations; the ledger has 2`],
  ],
  [
    'a pool with another pinned use',
    pool({ pinned: '2:201 0:100' }),
    () => [
      `${poolType} ${ids.pool}: has 201 memory_mib pinned to NUMA node 0; the ledger has 200`,
      `${poolType} ${ids.pool}: has 0 vcpus pinned to NUMA node 1; the ledger has 1`,
    ],
  ],
  [
    'an allocation that is gone while its pool still holds it',
    tx => remove(tx, idle),
    () => [
      `${poolType} ${ids.pool}: counts 2 allocations; the ledger has 1`,
      `${poolType} ${ids.pool}: has 3 disk_gib allocated; the ledger has 2`,
      `${poolType} ${ids.pool}: has 4 vcpus allocated; the ledger has 3`,
      `${poolType} ${ids.pool}: has 400 memory_mib allocated; the ledger has 300`,
    ],
  ],
  [
    'an allocation of another amount',
    allocation(idle, { vcpus: 2 }),
    () => [`${poolType} ${ids.pool}: has 4 vcpus allocated; the ledger has 5`],
  ],
  [
    'an allocation in a pool that does not exist',
    async tx => {
      const row = (await tx.get(allocations, idle ?? ''))?.value
      if (row) await tx.insert(allocations, { ...row, id: 'using.things/new', consumer_id: 'new', pool_id: 'gone' })
    },
    () => [`${type} using.things/new: is in the resource pool gone, which does not exist`],
  ],
  [
    'an allocation of another zone than its pool',
    allocation(idle, { zone_id: 'gone' }),
    () => [`${type} ${idle}: names the zone gone; its resource pool is in ${ids.zone}`],
  ],
  [
    'an allocation that is pinned to a node which its pool lacks',
    allocation(guest, {
      nodes: [
        { vcpus: 2, memory_mib: 200, node: 0 },
        { vcpus: 1, memory_mib: 100, node: 2 },
      ],
    }),
    () => [
      `${poolType} ${ids.pool}: has 1 vcpus pinned to NUMA node 1; the ledger has 0`,
      `${poolType} ${ids.pool}: has 100 memory_mib pinned to NUMA node 1; the ledger has 0`,
      `${type} ${guest}: is pinned to NUMA node 2; its resource pool has 2 nodes`,
    ],
  ],
  [
    'an allocation under the id of another consumer',
    allocation(idle, { consumer_id: 'other' }),
    () => [`${type} ${idle}: is of the consumer using.things/other`],
  ],
]

describe('the doctor', () => {
  it('finds nothing about allocations as they are made', async () => {
    expect(await doctorFindings(left)).toEqual([])
  })

  it.each(tampered)('names %s', async (_, change, expected) => {
    const place = await copyPlace(left, storeCollections(mounted), onTestFinished)
    const store = await openBeside(place, storeCollections(mounted))
    await store.tx(change)
    await store.close()
    expect((await doctorFindings(place)).toSorted()).toEqual(expected().toSorted())
  })
})
