import { describe, expect, it } from 'vitest'
import { labelJson } from '../../../../../domain/observability/stacks/forwarding/label-json.ts'
import { labelProtobuf } from '../../../../../domain/observability/stacks/forwarding/label-protobuf.ts'
import { labelSeries } from '../../../../../domain/observability/stacks/forwarding/label-series.ts'
import { otlpShapes } from '../../../../../domain/observability/stacks/forwarding/otlp-shapes.ts'
import { ownAttributes } from '../../../../../domain/observability/stacks/forwarding/own-attributes.ts'
import { encoded, messageType } from '../../ingest/encoded-messages.ts'

const workspace = '01a2210c-c3ad-71cd-b4c5-a4a681bcdff3'
const own = ownAttributes({}, workspace)

/** Attributes that leave all telemetry as it is. */
const none = ownAttributes({}, undefined)

/** Returns a varint of up to 70 bits. */
function varint(value: bigint): readonly number[] {
  return value < 128n ? [Number(value)] : [Number(value % 128n) | 128, ...varint(value / 128n)]
}

/** Returns a field with bytes; the number may be larger than protobuf allows. */
const field = (number: bigint | number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = Buffer.concat(parts)
  return Uint8Array.from([...varint(BigInt(number) * 8n + 2n), ...varint(BigInt(bytes.length)), ...bytes])
}

const string = (number: number, text: string): Uint8Array => field(number, Buffer.from(text))

/** An attribute, or a label of OTLP as it was before attributes: both have key and value in these fields. */
const spoofed = Buffer.concat([string(1, 'workspace_id'), field(2, string(1, 'spoofed'))])
const spoofedLabel = Buffer.concat([string(1, 'workspace_id'), string(2, 'spoofed')])

describe('a field whose number is larger than protobuf allows', () => {
  // Decoders that keep 32 bits of a number, or 64 bits of a tag, read all but the first as the field 1.
  const numbers = [
    2n ** 29n,
    2n ** 32n + 1n,
    2n ** 33n + 1n,
    2n ** 60n + 2n ** 32n + 1n,
    2n ** 61n + 1n,
    2n ** 64n + 1n,
  ]

  it.each(numbers)('is refused in OTLP: %s', number => {
    const resource = field(1, field(1, spoofed))
    const wrong: readonly Uint8Array[] = [
      field(number, resource),
      field(1, field(number, field(1, spoofed))),
      field(1, field(1, field(number, spoofed))),
      field(1, field(1, field(1, field(number, Buffer.from('workspace_id'))))),
    ]
    for (const request of wrong)
      expect(() => labelProtobuf(request, otlpShapes.METRICS, own)).toThrow('is not a protobuf message')
  })

  it.each(numbers)('is refused in remote write: %s', number => {
    const named = field(1, string(1, '__name__'), string(2, 'a'))
    const wrong: readonly Uint8Array[] = [
      field(number, field(1, spoofedLabel)),
      field(1, named, field(number, spoofedLabel)),
      field(1, field(1, string(1, 'x'), field(number, Buffer.from('workspace_id')), string(2, 'spoofed'))),
    ]
    for (const request of wrong) expect(() => labelSeries(request, own)).toThrow('is not a protobuf message')
  })
})

describe('a field that OTLP does not have any more, or not yet', () => {
  const point = field(1, field(7, spoofed))
  const gauge = field(2, field(5, point))
  const inMetric = (...parts: readonly Uint8Array[]) => field(1, field(2, field(2, ...parts)))

  it.each<readonly [string, Uint8Array]>([
    ['resources of requests', field(2, field(2, gauge))],
    ['scopes of resources, as receivers call them that are older than scopes', field(1, field(1000, gauge))],
    ['metrics of scopes', field(1, field(2, field(1000, field(5, point))))],
    ['points of integers', inMetric(field(4, point))],
    ['sums of integers', inMetric(field(6, point))],
    ['points of later kinds', inMetric(field(13, point))],
    ['points of a gauge', inMetric(field(5, field(3, field(7, spoofed))))],
    ['labels of points of numbers', inMetric(field(5, field(1, field(1, spoofedLabel))))],
    ['labels of points of histograms', inMetric(field(9, field(1, field(1, spoofedLabel))))],
    ['labels of points of summaries', inMetric(field(11, field(1, field(1, spoofedLabel))))],
  ])('is not sent on in protobuf: %s', (_what, request) => {
    const { body } = labelProtobuf(request, otlpShapes.METRICS, own)
    expect(Buffer.from(body).toString('latin1')).not.toContain('spoofed')
  })

  const attributes = [{ key: 'workspace_id', value: { stringValue: 'spoofed' } }]
  const dataPoints = [{ attributes }]
  const inJson = (metric: object) => ({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })

  it.each<readonly [string, object]>([
    ['resources of requests', { instrumentationMetrics: [{ resource: { attributes } }] }],
    [
      'scopes of resources',
      { resourceMetrics: [{ instrumentationLibraryMetrics: [{ metrics: [{ gauge: { dataPoints } }] }] }] },
    ],
    ['points of integers', inJson({ intGauge: { dataPoints } })],
    ['points of a gauge', inJson({ gauge: { points: dataPoints } })],
    ['labels of points', inJson({ gauge: { dataPoints: [{ labels: [{ key: 'workspace_id', value: 'spoofed' }] }] } })],
    [
      'keys in another case',
      inJson({ gauge: { dataPoints: [{ attributes: [{ key: 'x', Key: 'workspace_id', KEY: 'workspace_id' }] }] } }),
    ],
  ])('is not sent on in JSON: %s', (_what, request) => {
    const { body } = labelJson(Buffer.from(JSON.stringify(request)), otlpShapes.METRICS, own)
    const text = new TextDecoder().decode(body)
    expect(text).not.toContain('spoofed')
    expect(text.match(/workspace_id/g)?.length).toBe(text.match(new RegExp(workspace, 'g'))?.length)
  })
})

describe('a map of attributes, whose keys some stores join', () => {
  const value = { kvlistValue: { values: [{ key: 'id', value: { stringValue: 'spoofed' } }] } }
  const requestOf = (key: string) => ({ resourceLogs: [{ resource: { attributes: [{ key, value }] } }] })
  const written = (key: string, of = own) => {
    const json = labelJson(Buffer.from(JSON.stringify(requestOf(key))), otlpShapes.LOGS, of)
    const protobuf = labelProtobuf(encoded('ExportLogsServiceRequest', requestOf(key)), otlpShapes.LOGS, of)
    return [json, protobuf].map(({ body }) => Buffer.from(body).toString('latin1').includes('spoofed'))
  }

  it.each(['workspace', 'workspace_', '_workspace', 'workspace.', '', '_', 'workspace_id'])(
    'is not sent on under the key "%s"',
    key => {
      expect(written(key)).toEqual([false, false])
      expect(written(key, none)).toEqual([true, true])
    },
  )

  it('is not sent on without a key', () => {
    const withoutKey = field(1, field(1, field(1, field(2, field(6, field(1, string(1, 'id'), string(2, 'spoofed')))))))
    const { body } = labelProtobuf(withoutKey, otlpShapes.LOGS, own)
    expect(Buffer.from(body).toString('latin1')).not.toContain('spoofed')
  })

  it.each(['work', 'workspaces', 'workspace_i', 'my_workspace', 'id'])('is sent on under the key "%s"', key => {
    expect(written(key)).toEqual([true, true])
  })
})

describe('all fields of OTLP', () => {
  const times = { startTimeUnixNano: '1', timeUnixNano: '2' }
  const attributes = [{ key: 'a', value: { stringValue: 'b' } }]
  const exemplars = [{ timeUnixNano: '3', asDouble: 4 }]
  const number = { ...times, attributes, flags: 1, exemplars }
  const histogram = {
    ...times,
    attributes,
    count: '1',
    sum: 2,
    bucketCounts: ['3'],
    explicitBounds: [4],
    flags: 5,
    min: 6,
    max: 7,
  }
  const exponential = { timeUnixNano: '2', count: '3', scale: 4 }
  const summary = {
    timeUnixNano: '2',
    attributes,
    count: '1',
    sum: 2,
    quantileValues: [{ quantile: 0.5, value: 1 }],
    flags: 1,
  }
  const names = { name: 'n', description: 'd', unit: 'u' }
  const kind = { aggregationTemporality: 2 }
  const request = {
    resourceMetrics: [
      {
        resource: { attributes, droppedAttributesCount: 1 },
        schemaUrl: 's',
        scopeMetrics: [
          {
            scope: { name: 'n', version: 'v' },
            schemaUrl: 's',
            metrics: [
              { ...names, gauge: { dataPoints: [{ ...number, asDouble: 1 }] } },
              { ...names, sum: { ...kind, isMonotonic: true, dataPoints: [{ ...number, asInt: '1' }] } },
              { ...names, histogram: { ...kind, dataPoints: [histogram] } },
              { ...names, exponentialHistogram: { ...kind, dataPoints: [exponential] } },
              { ...names, summary: { dataPoints: [summary] } },
            ],
          },
        ],
      },
    ],
  }

  it('are sent on in protobuf', () => {
    const type = messageType('ExportMetricsServiceRequest')
    const { body, items } = labelProtobuf(encoded('ExportMetricsServiceRequest', request), otlpShapes.METRICS, none)
    const read = type.toObject(type.decode(body), { longs: String })
    expect(items).toBe(5)
    expect(JSON.parse(JSON.stringify(read))).toEqual(request)
  })

  it('are sent on in JSON', () => {
    const more = {
      ...exponential,
      ...times,
      attributes,
      zeroCount: '1',
      positive: { offset: 1 },
      negative: { offset: 2 },
      flags: 1,
      exemplars,
      min: 1,
      max: 2,
      zeroThreshold: 3,
      sum: 4,
    }
    const whole = JSON.stringify(request).replace(JSON.stringify(exponential), JSON.stringify(more))
    const withMetadata = whole.replace('"unit":"u"', '"unit":"u","metadata":[{"key":"a","value":{"stringValue":"b"}}]')
    const { body, items } = labelJson(Buffer.from(withMetadata), otlpShapes.METRICS, none)
    expect(items).toBe(5)
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual(JSON.parse(withMetadata))
  })
})

it('native histograms of remote write count as samples do', () => {
  const labels = [{ name: '__name__', value: 'a' }]
  const series = { labels, samples: [{ value: 1, timestamp: 1 }], histograms: [{ sum: 1 }, { sum: 2 }] }
  expect(labelSeries(encoded('WriteRequest', { timeseries: [series] }), own).items).toBe(3)
})
