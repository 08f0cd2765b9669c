import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import type { NetworkOperation } from '../../../output/network/types.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { startClientProgram } from '../../areas/kill/client-process.ts'
import { toldRestarts } from '../../areas/kill/restarts.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../areas/members.ts'
import { addRegions } from '../../areas/regions.ts'
import type { Sets } from '../../server/killed/journal.ts'
import { reckon, type Kept } from '../../server/killed/reckoning.ts'
import { postgresUrl } from '../../server/store/harness.ts'
import { testStorePlace } from '../../server/store/left-place.ts'
import { regionOf } from './vpc-actor.ts'
import type { VpcLoad } from './vpc-load.ts'

const program = fileURLToPath(new URL('./vpc-load.ts', import.meta.url))

const actors = 4

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/**
 * Reads all VPCs, subnets and quota limits of a workspace, and the operations of the area; returns both in the terms of
 * the journal.
 */
async function readKept({ network }: Ninefold, workspace: string): Promise<Kept> {
  const page_size = 100
  const things: (readonly [string, Sets])[] = []
  for await (const vpc of network.iterateVpcs({ workspace, engine: 'native', page_size })) {
    things.push([vpc.name, { display_name: vpc.display_name }])
  }
  for await (const subnet of network.iterateSubnets({ workspace, engine: 'native', page_size })) {
    things.push([subnet.name, { display_name: subnet.display_name }])
  }
  const quota_definition = 'network.vpcs'
  for await (const { dimensions, limit } of network.iterateQuotaLimits({ quota_definition, page_size })) {
    things.push([`limit of ${dimensions['region']}`, { limit: String(limit) }])
  }
  const operations: NetworkOperation[] = []
  for await (const operation of network.iterateOperations({ page_size, order_by: 'insert_time' })) {
    operations.push(operation)
  }
  return { area: 'network', operations, things }
}

it(
  'a server that is killed repeatedly while clients change VPCs and subnets loses no acknowledged change and repeats none',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount)
    const [server] = served.servers
    if (!server) throw new Error('no server was started')
    const { api } = await server.admin()
    const { workspace } = await addTenant(api, 'acme')
    const clients = ['early', 'late'].flatMap(name => Array.from({ length: actors }, (_, i) => `${name}-${i}`))
    await addRegions(api, clients.map(regionOf))
    const load: Omit<VpcLoad, 'name' | 'token'> = { addresses: served.addresses, actors, workspace }
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) =>
      startClientProgram(program, { ...load, name, token }, to, onTestFinished),
    )
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    if (serverCount > 1) expect(journal.troubles.again).toBe(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    expect(reckon(journal, await readKept(last.api, workspace))).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
