import { gzipSync } from 'node:zlib'
import { compress } from 'snappyjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { absentId } from '../../../areas/members.ts'
import { encoded, messageType } from './encoded-messages.ts'
import { gaugeRequest, key, servedPlane, textOf, type ServedPlane } from './served-plane.ts'
import { afterTests } from '../../../undo.ts'

let plane: ServedPlane
let otlp: string
let write: string

beforeAll(async () => {
  plane = await servedPlane(afterTests)
  otlp = await plane.config({ name: 'otlp', otlp: {} })
  write = await plane.config({ name: 'write', prometheus_remote_write: {} })
})

const at = () => ({ workspace: plane.tenant.workspace, engine: 'native' })
const protobuf = { 'content-type': 'application/x-protobuf' }
const remoteWrite = { path: '/api/v1/write', headers: { ...protobuf, 'content-encoding': 'snappy' } }
const series = (name: string, value: number, time = Date.now()) => ({
  labels: [{ name: '__name__', value: name }],
  samples: [{ value, timestamp: time }],
})
const written = (request: object) => compress(new Uint8Array(encoded('WriteRequest', request)))

/** Sends an OTLP request in both encodings; returns the statuses and the decoded answers. */
async function sendBoth(request: object) {
  const json = await plane.push(otlp, JSON.stringify(request))
  const binary = await plane.push(otlp, new Uint8Array(encoded('ExportMetricsServiceRequest', request)), {
    headers: protobuf,
  })
  const type = messageType('ExportMetricsServiceResponse')
  const bytes = new Uint8Array(await binary.arrayBuffer())
  return {
    statuses: [json.status, binary.status],
    types: [json.headers.get('content-type'), binary.headers.get('content-type')],
    json: await json.json(),
    protobuf: type.toObject(type.decode(bytes), { longs: String }),
  }
}

describe('a request of OTLP', () => {
  it('is written, and answered in its content type', async () => {
    const sent = await sendBoth(gaugeRequest('both'))
    expect(sent).toEqual({
      statuses: [200, 200],
      types: ['application/json', 'application/x-protobuf'],
      json: {},
      protobuf: {},
    })
    expect((await plane.query('both')).map(textOf)).toEqual(['__name__=both job=api 1'])
  })

  it('may be empty', async () => {
    expect(await sendBoth({})).toMatchObject({ statuses: [200, 200], json: {}, protobuf: {} })
  })

  it('takes its good points, and answers the others by their number and the name of a metric', async () => {
    const [resource] = gaugeRequest('good').resourceMetrics
    const dataPoints = [{ timeUnixNano: `${Date.now()}000000`, asInt: '1' }]
    const delta = { name: 'bad.delta', sum: { dataPoints, aggregationTemporality: 1, isMonotonic: true } }
    const metrics = [delta, ...(resource?.scopeMetrics[0]?.metrics ?? [])]
    const sent = await sendBoth({ resourceMetrics: [{ ...resource, scopeMetrics: [{ metrics }] }] })
    const errorMessage = expect.stringMatching(/^bad_delta_total has delta temporality.*\(delta_temporality: 1\)$/)
    expect(sent).toMatchObject({
      statuses: [200, 200],
      json: { partialSuccess: { rejectedDataPoints: '1', errorMessage } },
      protobuf: { partialSuccess: { rejectedDataPoints: '1', errorMessage } },
    })
    expect(await plane.query('good')).toHaveLength(1)
    const config = await plane.api.observability.getIngestionConfig({ ...at(), id: otlp })
    expect(config.stats.rejected_reasons['delta_temporality']).toBe(2)
    expect(config.stats.last_received_time).toBeDefined()
  })

  it('may be compressed', async () => {
    const body = gzipSync(JSON.stringify(gaugeRequest('compressed')))
    expect((await plane.push(otlp, body, { headers: { 'content-encoding': 'gzip' } })).status).toBe(200)
    expect(await plane.query('compressed')).toHaveLength(1)
  })

  it('is refused in its content type', async () => {
    const json = await plane.push(otlp, '{')
    expect([json.status, await json.json()]).toMatchObject([
      400,
      { code: 3, details: [{ reason: 'PAYLOAD_INVALID', metadata: { code: '4003008' } }, {}] },
    ])
    const binary = await plane.push(otlp, new Uint8Array([1]), { headers: protobuf })
    expect([binary.status, binary.headers.get('content-type')]).toEqual([400, 'application/x-protobuf'])
    const status = messageType('Status').decode(new Uint8Array(await binary.arrayBuffer()))
    expect(status).toMatchObject({ code: 3, message: expect.stringContaining('the body') })
  })

  it('is refused with more than 64 MiB, as sent or inflated', async () => {
    const bomb = gzipSync(new Uint8Array(65 * 1024 * 1024))
    const inflated = await plane.push(otlp, bomb, { headers: { 'content-encoding': 'gzip' } })
    expect([inflated.status, await inflated.json()]).toMatchObject([
      413,
      { details: [{ reason: 'PAYLOAD_TOO_LARGE' }, {}] },
    ])
    const whole = await plane.push(otlp, new Uint8Array(64 * 1024 * 1024 + 1))
    expect(whole.status).toBe(413)
  })

  it.each([[{ 'content-type': 'text/plain' }], [{ 'content-encoding': 'br' }], [{ 'content-encoding': 'snappy' }]])(
    'is refused with the headers %j',
    async headers => {
      const answer = await plane.push(otlp, '{}', { headers })
      expect([answer.status, await answer.json()]).toMatchObject([415, { details: [{ reason: 'FIELD_INVALID' }, {}] }])
    },
  )
})

describe('a request of remote write', () => {
  it('is written, and answered without a body', async () => {
    const answer = await plane.push(write, written({ timeseries: [series('remote', 7)] }), remoteWrite)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect((await plane.query('remote')).map(textOf)).toEqual(['__name__=remote 7'])
  })

  it('writes its good samples even if it is refused for others', async () => {
    const body = written({ timeseries: [series('platform_bad', 1), series('remote_good', 1)] })
    const answer = await plane.push(write, body, remoteWrite)
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('metric_name_reserved: 1'), details: [{ reason: 'PAYLOAD_INVALID' }, {}] },
    ])
    expect(await plane.query('remote_good')).toHaveLength(1)
  })

  it.each([
    [{ 'content-encoding': 'identity' }],
    [{ 'content-type': 'application/json' }],
    [{ 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request' }],
  ])('is refused with the headers %j', async headers => {
    const options = { ...remoteWrite, headers: { ...remoteWrite.headers, ...headers } }
    expect((await plane.push(write, written({}), options)).status).toBe(415)
  })
})

describe('the plane', () => {
  const body = JSON.stringify(gaugeRequest('guarded'))
  const refusalOf = async (answer: Response) => {
    const { code, details, message } = (await answer.json()) as { readonly [member: string]: unknown }
    return { status: answer.status, code, message, details, authenticate: answer.headers.get('www-authenticate') }
  }

  it('answers every sender without the right in one way, whether or not the config exists', async () => {
    const expired = await plane.config({
      name: 'expired',
      otlp: {},
      ingest_keys: [{ name: 'old', secret: key, expire_time: new Date(Date.now() + 300).toISOString() }],
    })
    await expect.poll(async () => (await plane.push(expired, body)).status).toBe(401)
    const answers = await Promise.all([
      plane.push(otlp, body, { bearer: undefined }),
      plane.push(otlp, body, { bearer: `${key}x` }),
      plane.push(otlp, body, { bearer: 'a.b.c' }),
      plane.push(otlp, body, { headers: { authorization: `Basic ${key}` } }),
      plane.push(absentId, body),
      plane.push(absentId, body, { bearer: plane.token }),
      plane.push('no-uuid', body),
      plane.push(expired, body),
    ])
    const refusals = await Promise.all(answers.map(refusalOf))
    expect(refusals[0]).toMatchObject({
      status: 401,
      code: 16,
      authenticate: 'Bearer',
      details: [{ reason: 'INGEST_UNAUTHENTICATED', metadata: { code: '4003005' } }],
    })
    expect(new Set(refusals.map(refusal => JSON.stringify(refusal))).size).toBe(1)
  })

  it('takes a token whose principal may write telemetry at the workspace', async () => {
    expect((await plane.push(otlp, body, { bearer: plane.token })).status).toBe(200)
  })

  it('stops within a second for a removed key, and at once takes a new one', async () => {
    const id = await plane.config({ name: 'rotated', otlp: {} })
    const next = `${key}Next`
    expect((await plane.push(id, body)).status).toBe(200)
    const change = { ingest_keys: [{ name: 'next', secret: next }] }
    await plane.api.observability.updateIngestionConfig({ ...at(), id, body: change, update_mask: 'ingest_keys' })
    const changed = performance.now()
    expect((await plane.push(id, body, { bearer: next })).status).toBe(200)
    await expect.poll(async () => (await plane.push(id, body)).status).toBe(401)
    expect(performance.now() - changed).toBeLessThan(1000)
  })

  it.each([
    ['another kind', () => ({ id: write, path: '/v1/metrics' })],
    ['another kind of sender', () => ({ id: otlp, path: '/api/v1/write' })],
    [
      'a signal that is not enabled',
      async () => ({
        id: await plane.config({ name: 'logs', otlp: { signals: ['OBSERVABILITY_SIGNAL_LOGS'] } }),
        path: '/v1/metrics',
      }),
    ],
  ])('refuses a request to %s', async (_, requested) => {
    const { id, path } = await requested()
    const answer = await plane.push(id, body, { path })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { details: [{ reason: 'SIGNAL_NOT_ENABLED' }, {}] },
    ])
  })

  it('refuses a disabled config and a suspended workspace', async () => {
    const disabled = await plane.config({ name: 'disabled', otlp: {}, enabled: false })
    const answer = await plane.push(disabled, body)
    expect([answer.status, await answer.json()]).toMatchObject([403, { details: [{ reason: 'INGESTION_DISABLED' }] }])
    const { organisation, workspace } = await plane.api.taxonomy
      .createWorkspace({
        organisation: plane.tenant.organisation,
        body: { name: 'other', parent_group_id: plane.tenant.group },
      })
      .then(({ resource_id }) => ({ organisation: plane.tenant.organisation, workspace: resource_id }))
    const id = await plane.config({ name: 'otlp', otlp: {} }, workspace)
    expect((await plane.push(id, body)).status).toBe(200)
    await plane.api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
    const suspended = await plane.push(id, body)
    expect([suspended.status, await suspended.json()]).toMatchObject([
      403,
      { details: [{ reason: 'WORKSPACE_NOT_ACTIVE', metadata: { code: '4000004' } }, {}] },
    ])
  })
})
