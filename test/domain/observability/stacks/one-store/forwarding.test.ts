import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { labelJson } from '../../../../../domain/observability/stacks/forwarding/label-json.ts'
import { labelProtobuf } from '../../../../../domain/observability/stacks/forwarding/label-protobuf.ts'
import { labelSeries } from '../../../../../domain/observability/stacks/forwarding/label-series.ts'
import { otlpShapes } from '../../../../../domain/observability/stacks/forwarding/otlp-shapes.ts'
import { ownAttributes } from '../../../../../domain/observability/stacks/forwarding/own-attributes.ts'
import { servedApi, type ApiRequest } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { encoded, messageType, withByteIds } from '../../ingest/encoded-messages.ts'
import { key, servedPlane, type ServedPlane } from '../../ingest/served-plane.ts'
import { withStacks } from '../stack-settings.ts'

let plane: ServedPlane
/** The requests that the receiver has got. */
let received: ApiRequest[] = []
/** What the receiver answers. */
let reply: { status: number; body: string | Uint8Array } = { status: 200, body: '{}' }

beforeAll(async () => {
  const receiver = await servedApi(() => reply, afterTests)
  received = receiver.requests
  const { url } = receiver
  const otlp_url = `${url}/otlp/`
  const given = withStacks(
    { name: 'single', otlp_url },
    { name: 'tenants', otlp_url, multi_tenant: true },
    { name: 'empty' },
  )
  plane = await servedPlane(afterTests, given)
})

beforeEach(() => {
  received.length = 0
  reply = { status: 200, body: '{}' }
})

const configs = new Map<string, string>()

/** Returns the ingestion config for OTLP on an engine. */
const configOn = async (engine: string): Promise<string> => {
  const known = configs.get(engine)
  if (known !== undefined) return known
  const { workspace } = plane.tenant
  const ingest_keys = [{ name: 'sender', secret: key }]
  const body = { name: 'sender', otlp: {}, static_labels: { region: 'north' }, ingest_keys }
  const { resource_id: id } = await plane.api.observability.createIngestionConfig({ workspace, engine, body })
  configs.set(engine, id)
  return id
}

const text = (attribute: string, value: string) => ({ key: attribute, value: { stringValue: value } })

/** Attributes that a store may take for the label of the workspace, one that has the key of a static label, and another. */
const hostile = ['workspace_id', 'workspace.id', 'workspace id', 'workspace__id', '_workspace_id_', 'region'].map(
  name => text(name, 'spoofed'),
)

const nanos = '1764500000123456789'

const metricsRequest = {
  resourceMetrics: [
    {
      resource: { attributes: [text('service.name', 'api'), ...hostile] },
      scopeMetrics: [
        {
          metrics: [
            { name: 'g', gauge: { dataPoints: [{ timeUnixNano: nanos, asDouble: 1, attributes: hostile }] } },
            {
              name: 's',
              sum: {
                dataPoints: [
                  { timeUnixNano: nanos, asInt: '2' },
                  { timeUnixNano: nanos, asInt: '3' },
                ],
              },
            },
            { name: 'h', histogram: { dataPoints: [{ timeUnixNano: nanos, count: '1', attributes: hostile }] } },
            { name: 'e', exponentialHistogram: { dataPoints: [{ timeUnixNano: nanos, count: '1' }] } },
            { name: 'y', summary: { dataPoints: [{ timeUnixNano: nanos, count: '1', attributes: [text('a', 'b')] }] } },
          ],
        },
      ],
    },
    { scopeMetrics: [] },
  ],
}

const spans = [{ name: 'GET /', traceId: '5b8efff798038103d269b633813fc60c', spanId: '1234567890abcdef' }]

const tracesRequest = {
  resourceSpans: [{ resource: { attributes: hostile }, scopeSpans: [{ spans }] }],
}

const logsRequest = {
  resourceLogs: [{ resource: { attributes: hostile }, scopeLogs: [{ logRecords: [{ body: { stringValue: 'hi' } }] }] }],
}

/** Returns the values in the places of lists of attributes, in the order of the text. */
function attributesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(attributesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (name !== 'attributes' || !Array.isArray(member)) return attributesIn(member)
    return [member.map(each => `${each.key}=${each.value.stringValue}`).join(' ')]
  })
}

const requests = [
  ['metrics', 'ExportMetricsServiceRequest', metricsRequest, 6],
  ['traces', 'ExportTraceServiceRequest', tracesRequest, 1],
  ['logs', 'ExportLogsServiceRequest', logsRequest, 1],
] as const

const forms = [
  ['JSON', 'application/json', (_: string, request: object) => JSON.stringify(request)],
  [
    'protobuf',
    'application/x-protobuf',
    (name: string, request: object) => Uint8Array.from(encoded(name, withByteIds(request))),
  ],
] as const

describe.each(forms)('OTLP in %s', (_form, contentType, write) => {
  const isJson = contentType === 'application/json'
  const headers = { 'content-type': contentType }

  const push = async (config: string, signal: string, name: string, request: object) => {
    const response = await plane.push(config, write(name, request), { path: `/v1/${signal}`, headers })
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
  }

  const bodyOf = (name: string): unknown => {
    const body = received[0]?.body ?? Buffer.of()
    return isJson
      ? JSON.parse(body.toString())
      : messageType(name).toObject(messageType(name).decode(body), { longs: String })
  }

  it.each(requests)('goes on as %s of the workspace alone', async (signal, name, request) => {
    const config = await configOn('single')
    const { body, status } = await push(config, signal, name, request)
    expect([status, body.toString()]).toEqual([200, isJson ? '{}' : ''])
    expect(received.map(({ path }) => path)).toEqual([`/otlp/v1/${signal}`])
    expect(received[0]?.headers['x-scope-orgid']).toBeUndefined()
    expect(received[0]?.headers['content-type']).toBe(contentType)
    const found = attributesIn(bodyOf(name))
    const own = `region=north workspace_id=${plane.tenant.workspace}`
    // The messages of the tests read no attributes of exponential histograms in protobuf.
    expect(found.length).toBe(signal !== 'metrics' ? 1 : isJson ? 8 : 7)
    for (const each of found) expect(each.endsWith(own)).toBe(true)
    expect(found.join(' ')).not.toContain('spoofed')
    expect(found[0]).toBe(signal === 'metrics' ? `service.name=api ${own}` : own)
  })

  it.each(requests)('keeps all else in %s', async (signal, name, request) => {
    const config = await configOn('tenants')
    await push(config, signal, name, request)
    expect(received[0]?.headers['x-scope-orgid']).toBe(plane.tenant.workspace)
    const [sent, got] = [request, bodyOf(name)].map(each => JSON.stringify(each).match(/1764500000123456789/g)?.length)
    expect(got).toBe(sent)
    expect(attributesIn(bodyOf(name)).join(' ')).toContain('workspace_id=spoofed')
  })

  it('counts what the receiver refuses', async () => {
    const config = await configOn('single')
    const partialSuccess = { rejectedDataPoints: '2', errorMessage: 'secret host' }
    reply.body = isJson
      ? JSON.stringify({ partialSuccess })
      : encoded('ExportMetricsServiceResponse', { partialSuccess: { ...partialSuccess, rejectedDataPoints: 2 } })
    const { body, status } = await push(config, 'metrics', requests[0][1], metricsRequest)
    expect(status).toBe(200)
    expect(body.toString()).toContain('engine: 2')
    expect(body.toString()).not.toContain('secret')
  })

  it.each([
    [400, 400],
    [413, 413],
    [404, 503],
    [429, 503],
    [500, 503],
    [503, 503],
    [307, 503],
  ])('gets for status %i of the receiver the status %i', async (status, answered) => {
    const config = await configOn('single')
    reply = { status, body: 'secret host' }
    const answer = await push(config, 'metrics', requests[0][1], metricsRequest)
    expect(answer.status).toBe(answered)
    expect(answer.body.toString()).not.toContain('secret')
  })

  it('is inflated before it is labelled', async () => {
    const config = await configOn('single')
    const body = gzipSync(write('ExportMetricsServiceRequest', metricsRequest))
    const zipped = { ...headers, 'content-encoding': 'gzip' }
    const { status } = await plane.push(config, body, { path: '/v1/metrics', headers: zipped })
    expect([status, received.length]).toEqual([200, 1])
    expect(received[0]?.headers['content-encoding']).toBeUndefined()
  })
})

describe('a body that is no request of OTLP', () => {
  it.each([
    ['{"resource_metrics":[]}', 'application/json'],
    ['{"resourceMetrics":[{"resource":{"Attributes":[]}}]}', 'application/json'],
    ['{"resourceMetrics":[{"resource":{"attributes":[1]}}]}', 'application/json'],
    ['{"resourceMetrics":[1]}', 'application/json'],
    ['[]', 'application/json'],
    ['{', 'application/json'],
    [Uint8Array.of(10, 5, 1), 'application/x-protobuf'],
    [Uint8Array.of(11, 12), 'application/x-protobuf'],
    [Uint8Array.of(10, 3, 10, 9, 1), 'application/x-protobuf'],
    // The number of the field is 2^32 + 1, which many decoders read as 1.
    [Uint8Array.of(138, 128, 128, 128, 128, 1, 0), 'application/x-protobuf'],
    ['{"resourceMetrics":[{"schema_url":"x"}]}', 'application/json'],
  ])('is not sent on: %s', async (body, contentType) => {
    const config = await configOn('single')
    const headers = { 'content-type': contentType }
    const { status } = await plane.push(config, body, { path: '/v1/metrics', headers })
    expect([status, received.length]).toEqual([400, 0])
  })
})

it('spans that the platform could not read again are not sent on', async () => {
  const config = await configOn('single')
  const body = JSON.stringify({
    resourceSpans: [{ scopeSpans: [{ spans: [{ ...spans[0], traceId: '0'.repeat(32) }] }] }],
  })
  const { status } = await plane.push(config, body, { path: '/v1/traces' })
  expect([status, received.length]).toEqual([400, 0])
})

describe('a request of many small messages', () => {
  const count = 2 ** 18
  const own = ownAttributes({ region: 'north' }, '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3')

  it.each<readonly [string, () => unknown]>([
    ['resources in protobuf', () => labelProtobuf(Buffer.alloc(2 * count, Buffer.of(10, 0)), otlpShapes.METRICS, own)],
    [
      'resources in JSON',
      () => labelJson(Buffer.from(`{"resourceMetrics":[{}${',{}'.repeat(count)}]}`), otlpShapes.METRICS, own),
    ],
    ['series', () => labelSeries(Buffer.alloc(2 * count, Buffer.of(10, 0)), own)],
  ])('of %s does not grow without a limit', (_what, label) => {
    expect(label).toThrow('too many messages')
  })
})

describe('an ingestion config of a stack', () => {
  it.each([
    ['single', { prometheus_scrape: { targets: [{ url: 'http://192.0.2.1/metrics' }] } }],
    ['single', { prometheus_remote_write: {} }],
    ['single', { otlp: { delta_to_cumulative: true } }],
    ['single', { otlp: { promote_resource_attributes: ['a'] } }],
    ['empty', { otlp: {} }],
  ])('is refused for what the engine %s does not take: %o', async (engine, kind) => {
    const { workspace } = plane.tenant
    const call = plane.api.observability.createIngestionConfig({
      workspace,
      engine,
      body: { name: 'refused', ...kind },
    })
    expect(await outcomeOf(call)).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
  })

  it('is refused in an update for what the engine does not take', async () => {
    const { workspace } = plane.tenant
    const body = { name: 'changed', otlp: {} }
    const created = await plane.api.observability.createIngestionConfig({ workspace, engine: 'single', body })
    const id = created.resource_id
    const update = (otlp: object) =>
      plane.api.observability.updateIngestionConfig({ workspace, engine: 'single', id, body: { otlp } })
    expect(await outcomeOf(update({ delta_to_cumulative: true }))).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
    expect(await outcomeOf(update({ signals: ['OBSERVABILITY_SIGNAL_LOGS'] }))).toBe('OK')
  })
})

it('integers beyond 2^53 keep their digits, whether or not they were strings', async () => {
  const config = await configOn('single')
  const body = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[{"timeUnixNano":${nanos},"asInt":7}]}}]}]}]}`
  expect((await plane.push(config, body)).status).toBe(200)
  expect(received[0]?.body.toString()).toContain(`"timeUnixNano":"${nanos}","asInt":7`)
})
