import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import type { TopologyOperation } from '../../../output/topology/types.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import type { Load } from '../../areas/kill/run-load.ts'
import { addRegions } from '../../areas/regions.ts'
import type { Sets } from '../../server/killed/journal.ts'
import { reckon, type Kept } from '../../server/killed/reckoning.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { poolZoneOf } from './pools/pool-actor.ts'
import { locationOf } from './site-actor.ts'

const program = fileURLToPath(new URL('./site-load.ts', import.meta.url))

const actors = 4

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

const page_size = 100

/**
 * Reads the targets, zones, pools and locations that the load has created or changed, and the operations whose ids are
 * not in `before`; returns both in the terms of the journal.
 */
async function readKept({ topology }: Ninefold, before: ReadonlySet<string>): Promise<Kept> {
  const things: (readonly [string, Sets])[] = []
  for await (const { capacity, name } of topology.iterateDeploymentTargets({ page_size })) {
    if (name.endsWith('-host')) things.push([name, { vcpus: String(capacity.vcpus) }])
  }
  for await (const { name, schedulable } of topology.iterateZones({ page_size })) {
    if (name.includes('-zone-')) things.push([name, { schedulable: String(schedulable) }])
  }
  for await (const { capacity, name } of topology.iterateResourcePools({ page_size })) {
    if (name !== 'local1-a-default') things.push([name, { memory_mib: String(capacity.memory_mib) }])
  }
  // Only the load sets a reason.
  for await (const { name, state, state_reason } of topology.iterateLocations({ page_size })) {
    if (state_reason !== '') things.push([name, { state: state.replace(/^.*_/, '') }])
  }
  return { area: 'topology', operations: (await operationsOf(topology)).filter(({ id }) => !before.has(id)), things }
}

async function operationsOf(topology: Ninefold['topology']): Promise<readonly TopologyOperation[]> {
  const operations: TopologyOperation[] = []
  for await (const each of topology.iterateOperations({ page_size, order_by: 'insert_time' })) operations.push(each)
  return operations
}

it(
  'a server that is killed again and again while clients change sites loses no acknowledged change and does none twice',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount)
    const [server] = served.servers
    if (!server) throw new Error('no server was started')
    const { api } = await server.admin()
    const clients = ['early', 'late'].flatMap(name => Array.from({ length: actors }, (_, i) => `${name}-${i}`))
    await addRegions(api, clients.map(locationOf))
    for (const client of clients)
      await api.topology.createZone({ body: { name: poolZoneOf(client), location: locationOf(client) } })
    const before = new Set((await operationsOf(api.topology)).map(({ id }) => id))
    const load: Omit<Load, 'name' | 'token'> = { addresses: served.addresses, actors }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    if (serverCount > 1) expect(journal.troubles.again).toBe(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    expect(reckon(journal, await readKept(last.api, before))).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
