import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Ninefold } from '../../../../output/client.ts'
import type { AlertRule } from '../../../../output/observability/types.ts'
import { createTransport } from '../../../../runtime/transport.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { serve } from '../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../areas/members.ts'
import { patient } from '../../../areas/patient-fetch.ts'
import type { ServedPlatform } from '../../../server/iam/served-platform.ts'
import { postgresUrl, testFolder } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'
import { webhookReceiver } from './webhook-receiver.ts'

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one evaluates the rules. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The number of kills, 2 by default. */
const kills = Number(process.env['NINEFOLD_KILL_ROUNDS'] ?? 2)

/** The number of kills in a round, which waits for the next multiple of ten seconds: the first and the later ones. */
const [killsAtFirst, killsLater] = [1, 4] as const

const rounds = Math.ceil(kills / (killsAtFirst + killsLater))

/** The rules of a round: half of them fire at the first tick after their creation, and the others at the second. */
const rulesPerRound = 20

/** The longest wait for a change of all rules of a round, in milliseconds. */
const roundMs = 120_000

/** Signs in at a server, and returns a client. */
async function signedIn(server: ServedPlatform | undefined): Promise<Ninefold> {
  if (server === undefined) throw new Error('there is no server')
  const { token } = await server.admin()
  return new Ninefold(createTransport({ baseUrl: server.url, token, fetch: patient(fetch) }))
}

it(
  'servers that are killed while alerts fire tell each alert under one notification, lose none, and keep when each began',
  { timeout: 120_000 + rounds * (2 * roundMs + 60_000) },
  async () => {
    // Kills come between the request and the answer.
    const { arrivals, url } = await webhookReceiver(onTestFinished, 100)
    const place = await testStorePlace()
    const key = join(testFolder(), 'root.key')
    writeFileSync(key, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
    const settings = {
      NINEFOLD_OBSERVABILITY_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
      NINEFOLD_VAULT_SEAL_CURRENT_KEY: `file://${key}`,
    }
    const { restart, servers } = await serve(place, serverCount, { settings })
    let killed = 0
    const killSoon = async (latestMs: number): Promise<void> => {
      await sleep(Math.random() * latestMs)
      await restart(killed % serverCount)
      killed += 1
    }
    for (let round = 0; round < rounds; round += 1) {
      const api = await signedIn(servers[killed % serverCount])
      const { workspace } = await addTenant(api, `acme-${round}`)
      const path = { workspace, engine: 'native' }
      const ids: string[] = []
      for (let i = 0; i < rulesPerRound; i += 1) {
        const receivers = [{ name: 'hook', webhook: { url, secret: 'correct-horse-battery' } }]
        const body = { name: `rule-${round}-${i}`, query: 'vector(1)', evaluation_interval: '10s', receivers }
        const rule = { ...body, for: i % 2 === 0 ? '0s' : '10s' }
        ids.push((await api.observability.createAlertRule({ ...path, body: rule })).resource_id)
      }
      const read = (): Promise<readonly AlertRule[]> =>
        Promise.all(ids.map(id => api.observability.getAlertRule({ ...path, id })))
      const beginnings = (all: readonly AlertRule[]) => all.map(({ alerts }) => alerts[0]?.active_since)
      // Rules are evaluated up to a second after their tick.
      await sleep(10_000 - (Date.now() % 10_000))
      for (let i = 0; i < killsAtFirst; i += 1) await killSoon(1500)
      await expect.poll(async () => beginnings(await read()), { timeout: roundMs }).not.toContain(undefined)
      const begun = beginnings(await read())
      const later = Math.min(killsLater, kills - killed)
      for (let i = 0; i < later; i += 1) await killSoon(2500)
      await expect
        .poll(async () => (await read()).filter(({ state }) => state !== 'OBSERVABILITY_ALERT_RULE_STATE_FIRING'), {
          timeout: roundMs,
        })
        .toEqual([])
      const fired = await read()
      expect(beginnings(fired)).toEqual(begun)
      for (const { alerts, for: pendingTime } of fired)
        for (const { active_since, fired_time = '' } of alerts)
          expect(Date.parse(fired_time) - Date.parse(active_since)).toBeGreaterThanOrEqual(
            pendingTime === '10s' ? 10_000 : 0,
          )
      const isSent = ({ deliveries }: AlertRule) => deliveries.length === 1 && deliveries.every(each => !each.pending)
      await expect.poll(async () => (await read()).filter(rule => !isSent(rule)), { timeout: roundMs }).toEqual([])
    }
    const notifications = Map.groupBy(arrivals, ({ id }) => id)
    const repeated = [...notifications.values()].filter(({ length }) => length > 1)
    const rules = Map.groupBy([...notifications.values()], ([arrival]) => arrival?.rule)
    console.log(`${killed} kills, ${rules.size} alerts, ${repeated.length} notifications that arrived again`)
    expect(rules.size).toBe(rounds * rulesPerRound)
    expect([...rules].filter(([, told]) => told.length !== 1)).toEqual([])
    for (const texts of repeated) expect(new Set(texts.map(({ text }) => text)).size).toBe(1)
    for (const server of servers) await server.kill()
    expect(await doctorFindings(place)).toEqual([])
  },
)
