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

/** The number of mutated bodies of each form that are decoded; the eighth part by default is also sent to a server. */
const rounds = Number(process.env['NINEFOLD_INGEST_MUTATIONS'] ?? 125)
const servedRounds = Number(process.env['NINEFOLD_INGEST_SERVED'] ?? Math.ceil(rounds / 8))

/** The largest growth of the memory of the process that serves mutated bodies, in bytes. */
const mostGrowth = 512 * 2 ** 20

/** The number of bodies that are under way to the server at a time. */
const atOnce = 4

const attributes = [
  attribute('a', 'x'),
  {
    key: 'map',
    value: { kvlistValue: { values: [{ key: 'k', value: { arrayValue: { values: [{ intValue: '1' }] } } }] } },
  },
]
/** A form of a body, with the bytes that are mutated, and how the mutated bytes are sent. */
interface Form extends Pick<PushedBody, 'coding' | 'format'> {
  readonly bytes: Uint8Array
  readonly wrap: (bytes: Uint8Array) => Uint8Array
  readonly path: string
}

const same = (bytes: Uint8Array): Uint8Array => bytes
const otlp = { path: '/v1/metrics', wrap: same } as const
const remote = { path: '/api/v1/write', format: 'remote-write', coding: 'snappy' } as const
/** Returns the forms of bodies with samples of the present time of a job. */
function formsOf(job: string): Readonly<Record<string, Form>> {
  const now = Date.now()
  const time = `${now}000000`
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
    [attribute('service.name', job)],
  )
  const json = new TextEncoder().encode(JSON.stringify(request))
  const protobuf = new Uint8Array(encoded('ExportMetricsServiceRequest', request))
  const labels = [
    { name: '__name__', value: 'r' },
    { name: 'job', value: job },
  ]
  const samples = Array.from({ length: 5 }, (_, index) => ({ value: index, timestamp: String(now + index) }))
  const write = new Uint8Array(
    encoded('WriteRequest', { timeseries: [{ labels, samples }], metadata: [{ metricFamilyName: 'r' }] }),
  )
  return {
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
}

const forms = formsOf('mutated')

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
  const timeout = 120_000 + rounds * 250
  it.each(Object.keys(forms))('of %s is taken or refused, and nothing else', { timeout }, name => {
    const form = forms[name]
    if (!form) throw new Error(`no form ${name}`)
    const random = seeded(17)
    const outcomes = new Set<string>()
    for (let round = 0; round < rounds; round++) outcomes.add(outcomeOf(form, mutated(form.bytes, random)))
    console.log(`${rounds} bodies of ${name}: ${[...outcomes].join(', ')}`)
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

  it(
    'answers 200, 204, 400 or 413 to mutated bodies in bounded memory, and takes good ones afterwards',
    { timeout: 120_000 + servedRounds * 1000 },
    async () => {
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
      const statuses = new Map<number, number>()
      const before = process.memoryUsage.rss()
      let peak = before
      for (const form of Object.values(forms))
        for (let round = 0; round < servedRounds; round += atOnce) {
          const bodies = Array.from({ length: atOnce }, () => mutated(form.bytes, random))
          const answers = await Promise.all(bodies.map(body => send(form, body)))
          for (const answer of answers) {
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            await answer.arrayBuffer()
          }
          peak = Math.max(peak, process.memoryUsage.rss())
        }
      const [count, mebibytes] = [
        [...statuses.values()].reduce((sum, each) => sum + each, 0),
        (peak - before) / 2 ** 20,
      ]
      console.log(`${count} mutated bodies, ${JSON.stringify([...statuses])}; the memory grew by ${mebibytes} MiB`)
      expect([...statuses.keys()].filter(status => ![200, 204, 400, 413].includes(status))).toEqual([])
      expect(peak - before).toBeLessThan(mostGrowth)
      // Mutated bodies may have written later samples of their own job, which unchanged ones would follow too late.
      for (const form of Object.values(formsOf('good'))) expect((await send(form, form.bytes)).status).toBeLessThan(300)
      expect(await plane.query('r{job="good"}', Date.now() + 1000)).toHaveLength(1)
    },
  )
})
