import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../domain/ports/store.ts'
import { allocations, type StoredAllocation } from '../../domain/topology/pools/allocations-store.ts'
import { capacityFunctions } from '../../domain/topology/pools/functions.ts'
import { newPool } from '../../domain/topology/pools/new-pool.ts'
import { withUse } from '../../domain/topology/pools/pool-use.ts'
import { poolCollection } from '../../domain/topology/pools/pools-store.ts'
import { changeZoneLedger, zoneLedgers } from '../../domain/topology/pools/zone-ledger.ts'
import { ZonePools } from '../../domain/topology/pools/zone-pools.ts'
import { locationCollection } from '../../domain/topology/sites/locations-store.ts'
import { targetCollection } from '../../domain/topology/sites/targets-store.ts'
import { zoneCollection } from '../../domain/topology/sites/zones-store.ts'
import { createClock } from '../../server/clock.ts'
import { openPostgres } from '../../server/store/postgres.ts'
import type { ServerStore } from '../../server/store/server-store.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import { startServer } from '../postgres/server.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints the time of an allocation and its release, each in a transaction of its own, in a zone of one
 * pool and in a zone of 1,000 pools with ten allocations each; the limit is twice the zone of one pool. The time is CPU
 * time on SQLite and elapsed time on PostgreSQL. Two further rows show the cost without a part of the design: the pools
 * are read again for each allocation, as after a change by another server, and the sums of the pools are read from the
 * ledger.
 */

const poolCount = 1000
const heldPerPool = 10
const collections = [locationCollection, targetCollection, zoneCollection, poolCollection, zoneLedgers, allocations]
const clock = createClock()
const time = new Date(clock.now()).toISOString()
const limit = 2

const need = { vcpus: 2, memory_mib: 4096, disk_gib: 40 }
const described = { display_name: '', description: '', labels: {}, etag: '1', create_time: time, update_time: time }
const capacity = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 }
const half = { vcpus: 256, memory_mib: 1_048_576 }
const numa_nodes = [half, half]

const folder = mkdtempSync(join(tmpdir(), 'ninefold-pools-'))
try {
  await bench('SQLite', await openSqlite({ file: join(folder, 'store.sqlite'), collections }), measure)
} finally {
  rmSync(folder, { recursive: true })
}
const server = await startServer()
try {
  await bench('PostgreSQL', await openPostgres({ url: server.url, collections }), waits)
} finally {
  await server.stop()
}

async function bench(name: string, store: ServerStore, take: typeof measure): Promise<void> {
  await fillSite(store)
  await fillZone(store, 'one', 1)
  await fillZone(store, 'many', poolCount)
  const known = new ZonePools()
  const contenders: readonly Contender[] = [
    { name: 'one pool', units: 1, run: () => allocate(store, known, 'one') },
    { name: `${poolCount} pools`, units: 1, run: () => allocate(store, known, 'many') },
    { name: `${poolCount} pools, read again`, units: 1, run: () => allocate(store, new ZonePools(), 'many') },
    { name: `${poolCount} pools, and the sums of the ledger`, units: 1, run: () => allocateBySums(store, known) },
  ]
  const times = await take(contenders)
  await store.close()
  const [one = 0, many = 0] = times
  printGroup(`an allocation and its release in a zone, ${name}`, [
    ...contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN] as const),
    ['limit', limit * one] as const,
  ])
  if (many > limit * one) process.exitCode = 1
}

/**
 * Returns the median elapsed time of each contender in nanoseconds, over 200 runs. The CPU time of this process would
 * not show the work of PostgreSQL.
 */
async function waits(contenders: readonly Contender[]): Promise<readonly number[]> {
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < 200; round += 1) {
    for (const [i, { run }] of contenders.entries()) {
      const since = performance.now()
      await run()
      found[i]?.push((performance.now() - since) * 1e6)
    }
  }
  return found.map(times => times.toSorted((one, other) => one - other)[times.length / 2] ?? Number.NaN)
}

async function allocate(store: Store, pools: ZonePools, zone: string): Promise<void> {
  const { allocate, release } = capacityFunctions(pools)
  const consumer = { type: 'compute.vms', id: clock.newId() }
  const { kind } = await store.tx(tx => allocate(tx, zone, need, consumer))
  if (kind !== 'allocated') throw new Error(`an allocation ended as ${kind}`)
  await store.tx(tx => release(tx, consumer))
}

/** Sums all allocations and then allocates in the zone `many`, as if the rows of pools had no sums. */
async function allocateBySums(store: Store, pools: ZonePools): Promise<void> {
  const sums = new Map<string, number>()
  await store.tx(async tx => {
    await changeZoneLedger(tx, 'many')
    for await (const { value } of tx.each(allocations))
      sums.set(value.pool_id, (sums.get(value.pool_id) ?? 0) + value.memory_mib)
  })
  if (sums.size < poolCount) throw new Error(`${sums.size} pools have allocations`)
  await allocate(store, pools, 'many')
}

/** Inserts a location with a deployment target, on which all pools lie. */
function fillSite(store: Store): Promise<void> {
  return store.tx(async tx => {
    await tx.insert(locationCollection, {
      ...described,
      id: 'site',
      name: 'site',
      country_code: '',
      city: '',
      proposed_region: '',
      region: 'site',
      state: 'TOPOLOGY_LOCATION_STATE_ENABLED',
      state_reason: '',
      approved_by: '',
    })
    await tx.insert(targetCollection, {
      ...described,
      id: 'host',
      name: 'host',
      location: 'site',
      driver: 'TOPOLOGY_DRIVER_SIMULATED',
      endpoint: '',
      capacity,
      numa_nodes,
      agent_version: '',
      last_register_time: time,
      probe: 'PASSED',
      state_message: '',
    })
  })
}

async function fillZone(store: Store, name: string, count: number): Promise<void> {
  const zone = { ...described, id: name, name, location: 'site', region: 'site', schedulable: true }
  await store.tx(tx => tx.insert(zoneCollection, zone))
  for (let i = 0; i < count; i += 1) await fillPool(store, name, `${name}-${i}`)
}

/** Inserts a pool with `heldPerPool` allocations, in the form that `allocate` writes. */
function fillPool(store: Store, zone: string, id: string): Promise<void> {
  return store.tx(async tx => {
    const overcommit = { vcpus: 4, memory_mib: 1, disk_gib: 1 }
    const reserved = { vcpus: 0, memory_mib: 0, disk_gib: 0 }
    const settable = { name: id, display_name: '', description: '', labels: {}, schedulable: true }
    const sizes = { capacity, reserved, overcommit, numa_nodes }
    const standard = { id, etag: '1', create_time: time, update_time: time }
    let pool = newPool({ ...settable, ...sizes, zone, deployment_target: 'host' }, standard)
    for (let i = 0; i < heldPerPool; i += 1) {
      const held = { consumer_type: 'compute.vms', consumer_id: `${id}-${i}`, zone_id: zone, pool_id: id, nodes: [] }
      const row: StoredAllocation = { ...held, ...need, id: `compute.vms/${id}-${i}` }
      await tx.insert(allocations, row)
      pool = withUse(pool, undefined, row)
    }
    await tx.insert(poolCollection, pool)
  })
}
