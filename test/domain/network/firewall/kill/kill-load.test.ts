import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../../../output/client.ts'
import type { NetworkOperation } from '../../../../../output/network/types.ts'
import { startClientProgram } from '../../../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../../../areas/kill/restarts.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { addTenant } from '../../../../areas/members.ts'
import { reckon, type Kept } from '../../../../server/killed/reckoning.ts'
import { postgresUrl } from '../../../../server/store/harness.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import { callsOf } from '../../machines/tenant-network.ts'
import { firewallCalls } from '../firewall-calls.ts'
import type { RuleLoad } from './rule-load.ts'

const program = fileURLToPath(new URL('./rule-load.ts', import.meta.url))

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** Reads all rules of a policy, and the operations of rules; returns both. */
async function readKept({ network }: Ninefold, workspace: string, policy: string): Promise<Kept> {
  const path = { workspace, engine: 'native', firewall_policy: policy, page_size: 100 }
  const things: Kept['things'][number][] = []
  for await (const { description, name } of network.iterateFirewallPolicyRules(path))
    things.push([name, { description }])
  const operations: NetworkOperation[] = []
  for await (const operation of network.iterateOperations({ page_size: 100, order_by: 'insert_time' })) {
    if (operation.resource_type === 'network.firewallPolicyRules') operations.push(operation)
  }
  return { area: 'network', operations, things }
}

it(
  'a server that is killed repeatedly while clients change rules loses no acknowledged change and repeats none',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount)
    const { api } = (await served.servers[0]?.admin()) ?? {}
    if (!api) throw new Error('no server was started')
    const { workspace } = await addTenant(api, 'acme')
    const vpc = await callsOf(api, workspace).vpc('net-1', '10.20.0.0/16')
    const policy = await firewallCalls(api, workspace).policy(vpc, 'p-1')
    let firstPriority = 0
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) => {
      firstPriority += 10_000
      const given = { name, token, addresses: served.addresses, actors: 4, workspace, policy, firstPriority }
      return startClientProgram(program, given satisfies RuleLoad, to, onTestFinished)
    })
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    if (serverCount > 1) expect(journal.troubles.again).toBe(0)
    const last = await served.servers[0]?.admin()
    if (!last) throw new Error('no server is left')
    const kept = await readKept(last.api, workspace, policy)
    expect(reckon(journal, kept)).toEqual([])
    expect(await firewallCalls(last.api, workspace).getPolicy(policy)).toMatchObject({ rule_count: kept.things.length })
    expect(await doctorFindings(place)).toEqual([])
  },
)
