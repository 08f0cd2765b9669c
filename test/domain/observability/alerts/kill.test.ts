import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { killRounds, serve } from '../../../areas/kill/kill-under-load.ts'
import { addTenant } from '../../../areas/members.ts'
import { postgresUrl } from '../../../server/store/harness.ts'
import { testStorePlace } from '../../../server/store/left-place.ts'

/** The number of servers: one on SQLite, two on one PostgreSQL, of which one evaluates the rules. */
const serverCount = postgresUrl() === undefined ? 1 : 2

/** The rules of a round; all of them fire at the first tick after their creation. */
const rulesPerRound = 20

/** The longest wait for the notifications of a round after the restart, in milliseconds. */
const roundMs = 60_000

/** The notifications that arrived, by rule and by id; each with the texts that came under the id. */
type Arrivals = Map<string, Map<string, string[]>>

/** Starts a receiver of webhooks that answers after a while, so that kills come between the request and the answer. */
async function startReceiver() {
  const arrivals: Arrivals = new Map()
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const { groupLabels }: { readonly groupLabels: { readonly alertname: string } } = JSON.parse(text)
      const id = String(request.headers['x-ninefold-notification'])
      const ofRule = arrivals.get(groupLabels.alertname) ?? new Map<string, string[]>()
      arrivals.set(groupLabels.alertname, ofRule.set(id, [...(ofRule.get(id) ?? []), text]))
      setTimeout(() => response.end(), Math.random() * 100)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { arrivals, url: `http://127.0.0.1:${port}/` }
}

it(
  'servers that are killed while alerts fire tell each alert under one notification, and lose none',
  { timeout: 120_000 + killRounds * (roundMs + 20_000) },
  async () => {
    const { arrivals, url } = await startReceiver()
    const place = await testStorePlace()
    const settings = { NINEFOLD_OBSERVABILITY_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' }
    const { restart, servers } = await serve(place, serverCount, { settings })
    const first = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    const { workspace } = await addTenant(first.api, 'acme')
    const path = { workspace, engine: 'native' }
    for (let round = 0; round < killRounds; round += 1) {
      const at = round % serverCount
      const { api } = (await servers[at]?.admin()) ?? expect.fail('there is no server')
      const names = Array.from({ length: rulesPerRound }, (_, i) => `rule-${round}-${i}`)
      for (const name of names) {
        const receivers = [{ name: 'hook', webhook: { url, secret: 'correct-horse-battery' } }]
        const body = { name, query: 'vector(1)', evaluation_interval: '10s', receivers }
        await api.observability.createAlertRule({ ...path, body })
      }
      // Rules are evaluated up to a second after their tick.
      await sleep(10_000 - (Date.now() % 10_000) + Math.random() * 1500)
      await restart(at)
      await expect
        .poll(() => names.filter(name => !arrivals.has(name)), { timeout: roundMs, interval: 100 })
        .toEqual([])
    }
    const { api } = (await servers[0]?.admin()) ?? expect.fail('there is no server')
    await expect
      .poll(async () => {
        const pending: string[] = []
        for await (const { deliveries, name } of api.observability.iterateAlertRules({ ...path, page_size: 100 }))
          if (deliveries.some(delivery => delivery.pending)) pending.push(name)
        return pending
      })
      .toEqual([])
    const told = [...arrivals.values()]
    const sent = told.flatMap(each => [...each.values()])
    const repeated = sent.filter(texts => texts.length > 1)
    console.log(`${killRounds} kills, ${told.length} alerts, ${repeated.length} notifications that arrived again`)
    expect(told).toHaveLength(killRounds * rulesPerRound)
    expect(told.filter(each => each.size !== 1)).toEqual([])
    for (const texts of repeated) expect(new Set(texts).size).toBe(1)
    for (const server of servers) await server.kill()
    expect(await doctorFindings(place)).toEqual([])
  },
)
