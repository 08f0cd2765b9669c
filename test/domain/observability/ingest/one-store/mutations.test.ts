import { gzipSync } from 'node:zlib'
import { compress } from 'snappyjs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PushedBody } from '../../../../../domain/observability/metrics/metric-engine.ts'
import { ApiError } from '../../../../../runtime/errors.ts'
import { seeded } from '../../../../areas/random.ts'
import { attribute, decode, requestOf } from '../decoding.ts'
import { encoded } from '../encoded-messages.ts'
import { mutated } from '../mutated.ts'
import { servedPlane, type ServedPlane } from '../served-plane.ts'
import { afterTests } from '../../../../undo.ts'

/** The number of mutated bodies of each form. */
const rounds = Number(process.env['NINEFOLD_INGEST_MUTATIONS'] ?? 125)

const time = `${Date.now()}000000`
const attributes = [
  attribute('a', 'x'),
  {
    key: 'map',
    value: { kvlistValue: { values: [{ key: 'k', value: { arrayValue: { values: [{ intValue: '1' }] } } }] } },
  },
]
const request = requestOf(
  [
    { name: 'g', unit: 's', gauge: { dataPoints: [{ timeUnixNano: time, asDouble: 1.5, attributes }] } },
    {
      name: 'c',
      sum: { dataPoints: [{ timeUnixNano: time, asInt: '7' }], aggregationTemporality: 2, isMonotonic: true },
    },
    {
      name: 'h',
      histogram: {
        dataPoints: [{ timeUnixNano: time, count: '3', sum: 2, bucketCounts: ['1', '2'], explicitBounds: [1] }],
        aggregationTemporality: 2,
      },
    },
    {
      name: 's',
      summary: { dataPoints: [{ timeUnixNano: time, count: '1', quantileValues: [{ quantile: 0.5, value: 1 }] }] },
    },
    { name: 'e', exponentialHistogram: { dataPoints: [{ timeUnixNano: time, count: '1' }] } },
  ],
  [attribute('service.name', 'api')],
)
const json = new TextEncoder().encode(JSON.stringify(request))
const protobuf = new Uint8Array(encoded('ExportMetricsServiceRequest', request))
const samples = Array.from({ length: 5 }, (_, index) => ({ value: index, timestamp: String(Date.now() + index) }))
const labels = [
  { name: '__name__', value: 'r' },
  { name: 'job', value: 'a' },
]
const write = new Uint8Array(
  encoded('WriteRequest', { timeseries: [{ labels, samples }], metadata: [{ metricFamilyName: 'r' }] }),
)

/** A form of a body, with the bytes that are mutated, and how the mutated bytes are sent. */
interface Form extends Pick<PushedBody, 'coding' | 'format'> {
  readonly bytes: Uint8Array
  readonly wrap: (bytes: Uint8Array) => Uint8Array
  readonly path: string
}

const same = (bytes: Uint8Array): Uint8Array => bytes
const otlp = { path: '/v1/metrics', wrap: same } as const
const remote = { path: '/api/v1/write', format: 'remote-write', coding: 'snappy' } as const
const forms: Readonly<Record<string, Form>> = {
  json: { ...otlp, format: 'otlp-json', coding: 'identity', bytes: json },
  protobuf: { ...otlp, format: 'otlp-protobuf', coding: 'identity', bytes: protobuf },
  gzip: { ...otlp, format: 'otlp-protobuf', coding: 'gzip', bytes: new Uint8Array(gzipSync(protobuf)) },
  'protobuf in gzip': {
    ...otlp,
    format: 'otlp-protobuf',
    coding: 'gzip',
    bytes: protobuf,
    wrap: bytes => gzipSync(bytes),
  },
  snappy: { ...remote, bytes: compress(write), wrap: same },
  'protobuf in snappy': { ...remote, bytes: write, wrap: bytes => compress(bytes) },
}

/** Returns the outcome of a body: `taken`, or the reason for which the body is refused. Throws every other error. */
function outcomeOf(form: Form, body: Uint8Array): string {
  try {
    decode({ ...form, body: form.wrap(body) })
    return 'taken'
  } catch (error) {
    if (error instanceof ApiError) return error.reason
    throw error
  }
}

describe('a mutated body', () => {
  it.each(Object.keys(forms))('of %s is taken or refused, and nothing else', name => {
    const form = forms[name]
    if (!form) throw new Error(`no form ${name}`)
    const random = seeded(17)
    const outcomes = new Set<string>()
    for (let round = 0; round < rounds; round++) outcomes.add(outcomeOf(form, mutated(form.bytes, random)))
    expect(
      [...outcomes].filter(outcome => !['taken', 'PAYLOAD_INVALID', 'PAYLOAD_TOO_LARGE'].includes(outcome)),
    ).toEqual([])
    expect(outcomes).toContain('PAYLOAD_INVALID')
  })
})

describe('a served platform', () => {
  let plane: ServedPlane
  beforeAll(async () => {
    plane = await servedPlane(afterTests)
  })

  it('answers 200, 204, 400 or 413 to mutated bodies, and takes good ones afterwards', async () => {
    const configs = {
      '/v1/metrics': await plane.config({ name: 'otlp', otlp: {} }),
      '/api/v1/write': await plane.config({ name: 'write', prometheus_remote_write: {} }),
    }
    const random = seeded(4)
    const send = ({ coding, format, path, wrap }: Form, bytes: Uint8Array) =>
      plane.push(
        path === '/v1/metrics' ? configs['/v1/metrics'] : configs['/api/v1/write'],
        new Uint8Array(wrap(bytes)),
        {
          path,
          headers: {
            'content-type': format === 'otlp-json' ? 'application/json' : 'application/x-protobuf',
            'content-encoding': coding,
          },
        },
      )
    const statuses = new Set<number>()
    for (const form of Object.values(forms))
      for (let round = 0; round < rounds / 8; round++)
        statuses.add((await send(form, mutated(form.bytes, random))).status)
    expect([...statuses].filter(status => ![200, 204, 400, 413].includes(status))).toEqual([])
    for (const form of Object.values(forms)) expect((await send(form, form.bytes)).status).toBeLessThan(300)
    expect(await plane.query('r{job="a"}')).toHaveLength(1)
  })
})
