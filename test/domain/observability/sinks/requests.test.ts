import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { afterTests } from '../../../undo.ts'
import { key } from '../ingest/served-plane.ts'
import { entriesIn } from './exported-entries.ts'
import { answerWith, type Arrival, type LineReceiver } from './line-receiver.ts'
import { servedSinks, waitMs, type ServedSinks } from './served-sinks.ts'

const logs = 'OBSERVABILITY_SINK_SOURCE_LOGS'

let receiver: LineReceiver
let arrivals: LineReceiver['arrivals']
let url = ''
let served: ServedSinks

beforeAll(async () => {
  served = await servedSinks(afterTests)
  receiver = served.receiver
  arrivals = receiver.arrivals
  url = `${receiver.url}/hook`
}, 120_000)

const linesIn = (all: readonly Pick<Arrival, 'text'>[]) =>
  all.flatMap(({ text }) => entriesIn(text).map(({ line }) => line))

describe('a sink to a webhook', { timeout: 180_000 }, () => {
  it('posts lines with a signature, and repeats a batch that was not taken until it is', async () => {
    const secret = 'correct-horse-battery'
    const id = await served.create({
      name: 'hook',
      sources: [logs],
      filter: '{service_name="hook"}',
      destination: { webhook: { url, secret } },
    })
    expect(JSON.stringify(await served.get(id))).not.toContain(secret)
    await served.push('hook', 'one', 'two')
    await served.exported(id, 2)
    const [first, ...others] = arrivals.splice(0)
    expect(others).toEqual([])
    const { headers, text } = first ?? expect.fail('nothing has arrived')
    expect(linesIn([{ text }])).toEqual(['one', 'two'])
    expect(headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'x-ninefold-signature': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
    })
    answerWith(receiver, 503)
    await served.push('hook', 'three')
    await expect
      .poll(async () => (await served.get(id)).last_error, { timeout: waitMs })
      .toBe('the receiver answered with status 503')
    expect((await served.get(id)).state).toBe('OBSERVABILITY_LOG_SINK_STATE_ACTIVE')
    await expect
      .poll(
        async () => {
          served.clock.shiftMs += 61_000
          return (await served.get(id)).state
        },
        { timeout: waitMs, interval: 300 },
      )
      .toBe('OBSERVABILITY_LOG_SINK_STATE_ERROR')
    expect((await served.get(id)).lag_seconds).toBeGreaterThanOrEqual(600)
    answerWith(receiver, 204)
    served.passFlush()
    expect(await served.exported(id, 3)).toMatchObject({
      state: 'OBSERVABILITY_LOG_SINK_STATE_ACTIVE',
      last_error: '',
      lag_seconds: 0,
    })
    const repeated = arrivals.splice(0)
    expect(repeated.length).toBeGreaterThan(1)
    expect(new Set(repeated.map(arrival => arrival.text)).size).toBe(1)
    expect(new Set(repeated.map(arrival => arrival.headers['x-ninefold-batch'])).size).toBe(1)
    // An update without the secret keeps the secret.
    await served.update(id, { destination: { webhook: { url: `${url}/new` } } }, 'destination')
    await served.push('hook', 'four')
    await served.exported(id, 4)
    expect(arrivals.splice(0)[0]?.headers).toHaveProperty('x-ninefold-signature')
  })

  it('posts at most 1 MiB at a time', async () => {
    const id = await served.create({
      name: 'large',
      sources: [logs],
      enabled: false,
      filter: '{service_name="large"}',
      destination: { webhook: { url } },
    })
    const lines = Array.from({ length: 25 }, (_, i) => `${i} ${'x'.repeat(100_000)}`)
    for (const line of lines) await served.push('large', line)
    await served.update(id, { enabled: true }, 'enabled')
    await served.exported(id, 25)
    const all = arrivals.splice(0)
    expect(linesIn(all)).toEqual(lines)
    expect(all).toHaveLength(3)
    for (const { text } of all) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024)
  })
})

describe('a sink to a receiver of OTLP', { timeout: 180_000 }, () => {
  it('sends logs with the headers of a secret, and tells nobody the secret', async () => {
    const { plane, path } = served
    const { organisation } = await addTenant(plane.api, 'other')
    const body = { name: 'received' }
    const { resource_id: workspace } = await plane.api.taxonomy.createWorkspace({ organisation, body })
    const config = await plane.config({ name: 'received', otlp: {} }, workspace)
    const { resource_id: secret } = await plane.api.vault.createSecret({ ...path, body: { name: 'headers' } })
    const payload = (text: string) =>
      plane.api.vault.addSecretVersion({
        ...path,
        secret,
        body: { payload: { data: Buffer.from(text).toString('base64') } },
      })
    await payload('no object')
    const id = await served.create({
      name: 'forward',
      sources: [logs],
      filter: '{service_name="forward"}',
      destination: { otlp: { url: `${plane.url}/ingest/${config}/v1/logs`, headers_secret_id: secret } },
    })
    await served.push('forward', 'one', 'two')
    await expect
      .poll(async () => (await served.get(id)).last_error, { timeout: waitMs })
      .toBe('the secret headers_secret_id is no JSON object of headers')
    await payload(JSON.stringify({ authorization: `Bearer ${key}` }))
    // The payload is read again after a minute.
    served.passFlush()
    await served.exported(id, 2)
    const times = { start_time: '2020-01-01T00:00:00Z', end_time: new Date(served.clock.now + 60_000).toISOString() }
    const query = { query: '{service_name="forward"}', ...times }
    const { streams } = await plane.api.observability.queryLogs({ workspace, engine: 'native', body: query })
    expect(streams.flatMap(({ entries }) => entries.map(({ line }) => line)).toSorted()).toEqual(['one', 'two'])
    expect(JSON.stringify(await served.get(id))).not.toContain(key)
    await expect(plane.api.vault.deleteSecret({ ...path, id: secret })).rejects.toMatchObject({
      reason: 'SECRET_IN_USE',
    })
    await plane.api.observability.deleteLogSink({ ...path, id })
    await plane.api.vault.deleteSecret({ ...path, id: secret })
  })
})
