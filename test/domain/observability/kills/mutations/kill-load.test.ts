import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import type { Ninefold } from '../../../../../output/client.ts'
import type { ObservabilityOperation } from '../../../../../output/observability/types.ts'
import { doctorFindings } from '../../../../areas/doctor.ts'
import { startClientProgram } from '../../../../areas/kill/client-process.ts'
import { killRounds, killTimeout, killUnderLoad, serve } from '../../../../areas/kill/kill-under-load.ts'
import { toldRestarts } from '../../../../areas/kill/restarts.ts'
import { addTenant } from '../../../../areas/members.ts'
import { reckon, type Kept } from '../../../../server/killed/reckoning.ts'
import { postgresUrl } from '../../../../server/store/harness.ts'
import { testStorePlace } from '../../../../server/store/left-place.ts'
import type { AreaLoad } from './area-load.ts'

const program = fileURLToPath(new URL('./area-load.ts', import.meta.url))

/** The number of servers: one on SQLite, two on one PostgreSQL. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** Reads the resources that the clients change, and the operations of the area. */
async function readKept({ observability }: Ninefold, workspace: string): Promise<Kept> {
  const page_size = 100
  const path = { workspace, engine: 'native', page_size }
  const things: Kept['things'][number][] = []
  for await (const { description = '', name } of observability.iterateAlertRules(path))
    things.push([name, { description }])
  for await (const { description = '', name } of observability.iterateIngestionConfigs(path))
    things.push([name, { description }])
  for await (const { description = '', name } of observability.iterateLogSinks(path))
    things.push([name, { description }])
  for await (const { description = '', name } of observability.iterateRetentionPolicies({
    ...path,
    filter: 'is_default = false',
  }))
    things.push([name, { description }])
  for await (const { comment, state } of observability.iterateSilences({ workspace, page_size }))
    things.push([comment, { over: String(state === 'OBSERVABILITY_SILENCE_STATE_EXPIRED') }])
  const operations: ObservabilityOperation[] = []
  for await (const operation of observability.iterateOperations({ page_size, order_by: 'insert_time' }))
    operations.push(operation)
  return { area: 'observability', operations, things }
}

it(
  'a server that is killed repeatedly while clients change rules, configs, sinks, policies and silences loses no acknowledged change and repeats none',
  { timeout: killTimeout },
  async () => {
    const place = await testStorePlace()
    const served = await serve(place, serverCount)
    const { api } = (await served.servers[0]?.admin()) ?? expect.fail('there is no server')
    const { workspace } = await addTenant(api, 'acme')
    const { journal, restarts } = await killUnderLoad(served, killRounds, (name, to, token) => {
      const given = { name, token, addresses: served.addresses, actors: 4, workspace }
      return startClientProgram(program, given satisfies AreaLoad, to, onTestFinished)
    })
    console.log(`${killRounds} kills, ${journal.outcomes.size} calls; ${toldRestarts(restarts)}`)
    expect(journal.troubles.lost).toBeGreaterThan(0)
    if (serverCount > 1) expect(journal.troubles.again).toBe(0)
    const last = (await served.servers[0]?.admin()) ?? expect.fail('there is no server')
    expect(reckon(journal, await readKept(last.api, workspace))).toEqual([])
    expect(await doctorFindings(place)).toEqual([])
  },
)
