import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddress } from '../../domain/addresses/ipv4.ts'
import { createPort, type PortParts } from '../../domain/network/ports/create-port.ts'
import { portCollection } from '../../domain/network/ports/ports-store.ts'
import { releasePort } from '../../domain/network/ports/release-port.ts'
import { limits, quotas } from '../../domain/network/quotas.ts'
import { freeRangesOf, planOf } from '../../domain/network/subnets/address-plan.ts'
import { openCount, insertRanges } from '../../domain/network/subnets/free-range-rows.ts'
import { freeRanges } from '../../domain/network/subnets/free-ranges-store.ts'
import { subnetCollection } from '../../domain/network/subnets/subnets-store.ts'
import type { Store, Transaction } from '../../domain/ports/store.ts'
import { lockBucket } from '../../domain/resources/quotas/buckets.ts'
import { references } from '../../domain/resources/references.ts'
import { taxonomyFunctions } from '../../domain/taxonomy/functions.ts'
import { createClock } from '../../server/clock.ts'
import { openPostgres } from '../../server/store/postgres.ts'
import type { ServerStore } from '../../server/store/server-store.ts'
import { openSqlite } from '../../server/store/sqlite.ts'
import { startServer } from '../postgres/server.ts'
import { measure, type Contender } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints the time of an allocation and its release in a /16 subnet: empty, with 60,000 adjacent addresses
 * taken, and with every second address of such a range taken. The limit is 1.5 times the time of the empty subnet. The
 * time is CPU time on SQLite and elapsed time on PostgreSQL. The quota `network.logicalPorts` is unlimited except in
 * the last row, which shows the count of 60,000 ports for a finite limit.
 */

const takenCount = 60_000
const collections = [subnetCollection, freeRanges, portCollection, references, quotas.buckets]
const clock = createClock()
const parts: PortParts = { clock, taxonomy: taxonomyFunctions }
const time = new Date(clock.now()).toISOString()

const folder = mkdtempSync(join(tmpdir(), 'ninefold-addresses-'))
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
  for (const workspace of ['none', 'run', 'holes']) await setLimit(store, workspace, -1)
  await setLimit(store, 'counted', 10 * takenCount)
  await fill(store, 'none', 0, 1)
  await fill(store, 'run', takenCount, 1)
  await fill(store, 'holes', takenCount / 2, 2)
  await fill(store, 'counted', takenCount, 1)
  const names = ['empty', 'with 60,000 taken', 'with every second of 60,000 taken', 'with 60,000 taken, and a limit']
  const contenders = ['none', 'run', 'holes', 'counted'].map((subnet, i) => ({
    name: names[i] ?? '',
    units: 1,
    run: () => allocate(store, subnet),
  }))
  const times = await take(contenders)
  await store.close()
  printGroup(
    `an allocation and its release in a /16, ${name}`,
    contenders.map(contender => [contender.name, times[contenders.indexOf(contender)] ?? Number.NaN]),
  )
}

/**
 * Returns the median elapsed time of each contender in nanoseconds, over 300 runs. The CPU time of this process would
 * not show the work of PostgreSQL.
 */
async function waits(contenders: readonly Contender[]): Promise<readonly number[]> {
  const found = contenders.map((): number[] => [])
  for (let round = 0; round < 300; round += 1) {
    for (const [i, { run }] of contenders.entries()) {
      const since = performance.now()
      await run()
      found[i]?.push((performance.now() - since) * 1e6)
    }
  }
  return found.map(times => times.toSorted((one, other) => one - other)[times.length / 2] ?? Number.NaN)
}

function allocate(on: Store, subnet_id: string): Promise<void> {
  return on.tx(async tx => {
    const vm = { id: clock.newId(), name: 'machine', zone: 'local1-a', labels: {} }
    const { id } = await createPort(parts, tx, { vm, nic: 'nic0', subnet_id })
    await releasePort(tx, id)
  })
}

async function fill(store: Store, id: string, count: number, step: number): Promise<void> {
  const cidr_block = '10.20.0.0/16'
  const planned = { cidr_block, gateway_address: '10.20.0.1', reserved_ranges: [] }
  const plan = planOf(planned)
  const taken = Array.from({ length: count }, (_, i) => plan.block.first + 2 + i * step)
  const ranges = freeRangesOf(plan, taken)
  const texts = { name: id, display_name: '', description: '', labels: {}, etag: '1' }
  const counts = { total_addresses: 65_536, usable_addresses: 65_532, allocated_addresses: count }
  await store.tx(async tx => {
    await tx.insert(subnetCollection, {
      id,
      ...texts,
      ...planned,
      ...counts,
      ...placeOf(id),
      available_addresses: openCount(ranges),
      dns_servers: [],
      state: 'NETWORK_SUBNET_STATE_ACTIVE',
      create_time: time,
      update_time: time,
    })
  })
  for (let at = 0; at < ranges.length; at += 1000)
    await store.tx(tx => insertRanges(tx, id, ranges.slice(at, at + 1000)))
  for (let at = 0; at < taken.length; at += 1000) await store.tx(tx => addPorts(tx, id, taken.slice(at, at + 1000)))
}

/** Returns the members of a row that say where a subnet lies: the workspace and the VPC have the id of the subnet. */
function placeOf(id: string) {
  return { workspace_id: id, vpc_id: id, engine: 'native', region: 'local1' }
}

/** Inserts a row of a port for each address, in the form that `createPort` writes. */
async function addPorts(tx: Transaction, subnet: string, addresses: readonly number[]): Promise<void> {
  for (const address of addresses) {
    const id = `${subnet}-${address}`
    await tx.insert(portCollection, {
      id,
      name: id,
      ...placeOf(subnet),
      zone: 'local1-a',
      subnet_id: subnet,
      labels: {},
      ip_address: formatAddress(address),
      mac_address: id,
      state: 'NETWORK_LOGICAL_PORT_STATE_DOWN',
      attachment: { resource_type: 'compute.vms', resource_id: id, interface: 'nic0' },
      create_time: time,
      update_time: time,
    })
  }
}

async function setLimit(store: Store, workspace: string, limit: number): Promise<void> {
  const dimensions = { region: 'local1' }
  const scope = { type: 'WORKSPACE', id: workspace } as const
  await store.tx(async tx => {
    const { id, value, version } = await lockBucket(tx, quotas.buckets, 'network.logicalPorts', scope, dimensions)
    await tx.update(quotas.buckets, id, { ...value, limit_id: limits.type, limit }, version)
  })
}
