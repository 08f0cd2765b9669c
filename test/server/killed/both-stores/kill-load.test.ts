import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TaxonomyClient } from '../../../../output/taxonomy/client.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { doctor } from '../../../../server/doctor/doctor.ts'
import { works } from '../../../../server/operations/work.ts'
import type { StorePlace } from '../../../../server/platform-store.ts'
import { testAreas } from '../../../domain/taxonomy/areas.ts'
import { readStore } from '../../../domain/taxonomy/depot-platform.ts'
import { faultsOf } from '../../../domain/taxonomy/settled-tree.ts'
import { testToken } from '../../access/test-access.ts'
import type { Later } from '../../store/harness.ts'
import { testStorePlace } from '../../store/left-place.ts'
import { Journal, shared } from '../journal.ts'
import type { Load } from '../load-client.ts'
import { freePort, startClient, startServer } from '../processes.ts'
import { readKept, reckon } from '../reckoning.ts'

/**
 * The number of kills, 4 by default. For 500 kills: `NINEFOLD_KILL_ROUNDS=500 npx vitest run
 * test/server/killed/both-stores/kill-load.test.ts`
 */
const rounds = Number(process.env['NINEFOLD_KILL_ROUNDS'] ?? 4)

const timeout = 120_000 + rounds * 20_000

/**
 * The maximal number of answered calls between two kills. Unlike a time, a number of calls does not depend on the speed
 * of the machine.
 */
const mostCalls = 40

/**
 * The maximal delay of a kill after the last counted response, in milliseconds; the kill can interrupt any later call.
 */
const latestMs = 30

/** The maximal wait for the responses between two kills, in milliseconds. */
const silentMs = 60_000

/**
 * The maximal wait until all work has ended, in milliseconds; a server takes over the work of a dead server within its
 * lease of 15 s.
 */
const settleMs = 60_000

interface Stage {
  readonly place: StorePlace
  readonly ports: readonly number[]
  readonly load: Omit<Load, 'name'>
  /** The ids of the operations from before the load. */
  readonly before: ReadonlySet<string>
  readonly later: Later
}

const urlOf = (port: number | undefined): string => `http://127.0.0.1:${port}`

const clientAt = (baseUrl: string, token: string): TaxonomyClient =>
  new TaxonomyClient(createTransport({ baseUrl, token }))

/** Creates an organisation with the group that all actors share, and with five workspaces in the group. */
async function setStage(serverCount: number, later: Later): Promise<Stage> {
  const place = await testStorePlace(later)
  const ports: number[] = []
  for (let i = 0; i < serverCount; i += 1) ports.push(await freePort())
  const server = await startServer(place, ports[0] ?? 0, later)
  const token = testToken
  const client = clientAt(urlOf(ports[0]), token)
  for (const id of ['taxonomy.workspaces', 'taxonomy.groups']) {
    await client.updateQuota({ id, body: { default_limit: -1 } })
  }
  const { resource_id: organisation } = await client.createOrganisation({ body: { name: 'acme' } })
  const { resource_id: sharedGroup } = await client.createGroup({ organisation, body: { name: shared } })
  for (let i = 0; i < 5; i += 1) {
    const body = { name: `${shared}-${i}`, parent_group_id: sharedGroup }
    await client.createWorkspace({ organisation, body })
  }
  const before = new Set<string>()
  for await (const { id } of client.iterateOperations()) before.add(id)
  await server.kill()
  return { place, ports, load: { addresses: ports.map(urlOf), token, organisation, sharedGroup }, before, later }
}

/**
 * Kills the servers in turn under a load, each after a random number of responses, and starts each killed server again.
 * Kills the client once and starts another client. Returns the journal of all calls after the last kill.
 */
async function killUnderLoad({ later, load, place, ports }: Stage): Promise<Journal> {
  const journal = new Journal()
  const servers = await Promise.all(ports.map(port => startServer(place, port, later)))
  let client = startClient({ ...load, name: 'early' }, journal, later)
  for (let round = 0; round < rounds; round += 1) {
    if (round === Math.floor(rounds / 2)) {
      await client.kill()
      client = startClient({ ...load, name: 'late' }, journal, later)
    }
    await answers(journal, Math.ceil(Math.random() * mostCalls))
    await sleep(Math.random() * latestMs)
    const at = round % ports.length
    await servers[at]?.kill()
    servers[at] = await startServer(place, ports[at] ?? 0, later)
    if ((round + 1) % 50 === 0) tell(journal, round + 1)
  }
  await client.finish()
  for (const server of servers) await server.kill()
  return journal
}

/** Waits until `count` further calls have an outcome in the journal; throws after `silentMs`. */
async function answers({ outcomes }: Journal, count: number): Promise<void> {
  const enough = outcomes.size + count
  const until = performance.now() + silentMs
  while (outcomes.size < enough) {
    if (performance.now() > until) throw new Error(`${enough - outcomes.size} of ${count} calls are not answered`)
    await sleep(5)
  }
}

async function expectKept({ before, later, load, place, ports }: Stage, journal: Journal): Promise<void> {
  const server = await startServer(place, ports[0] ?? 0, later)
  const store = await readStore(place)
  try {
    const until = performance.now() + settleMs
    while ((await store.count(works)) > 0 && performance.now() < until) await sleep(50)
    const client = clientAt(urlOf(ports[0]), load.token)
    expect(reckon(journal, await readKept(client, load.organisation, before))).toEqual([])
    expect(await faultsOf(store)).toEqual([])
  } finally {
    await store.close()
    await server.kill()
  }
  const told: string[] = []
  await doctor({ place, areas: testAreas(), isJson: true, print: line => void told.push(line) })
  expect(told).toEqual([expect.stringContaining('"findings":0')])
}

function tell({ intents, outcomes, troubles: { again, lost } }: Journal, kills: number): void {
  const refused = [...outcomes.values()].filter(outcome => 'refused' in outcome).length
  const answered = outcomes.size - refused
  console.log(
    `${kills} kills: ${answered} calls acknowledged, ${refused} refused, ${intents.length - outcomes.size} unanswered;`,
    `${lost} tries lost, ${again} calls made anew`,
  )
}

// The tests run concurrently, because each test waits at its end until the leases of dead servers have expired.
describe.concurrent('under a mixed load', () => {
  it(
    'a server that is killed repeatedly loses no acknowledged change and repeats none',
    { timeout },
    async ({ onTestFinished }) => {
      const stage = await setStage(1, onTestFinished)
      const journal = await killUnderLoad(stage)
      tell(journal, rounds)
      expect(journal.troubles.lost).toBeGreaterThan(0)
      await expectKept(stage, journal)
    },
  )

  it(
    'if one of two servers on one store is killed repeatedly, clients notice only retried calls',
    { timeout },
    async ({ onTestFinished }) => {
      const stage = await setStage(2, onTestFinished)
      const journal = await killUnderLoad(stage)
      tell(journal, rounds)
      expect(journal.troubles.lost).toBeGreaterThan(0)
      expect(journal.troubles.again).toBe(0)
      await expectKept(stage, journal)
    },
  )
})
