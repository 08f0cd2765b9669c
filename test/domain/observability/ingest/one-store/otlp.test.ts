import { describe, expect, it } from 'vitest'
import { DeltaSums } from '../../../../../domain/observability/ingest/delta-sums.ts'
import { at, attribute, decode, decodeBoth, linesOf, plainRules, requestOf } from '../decoding.ts'

const gauge = (name: string, more: object = {}, point: object = {}) => ({
  name,
  ...more,
  gauge: { dataPoints: [{ timeUnixNano: at.nano, asDouble: 1.5, ...point }] },
})
const sum = (name: string, point: object, more: object = {}) => ({
  name,
  sum: {
    dataPoints: [{ timeUnixNano: at.nano, ...point }],
    aggregationTemporality: 2,
    isMonotonic: true,
    ...more,
  },
})
const histogram = (point: object, more: object = {}) => ({
  name: 'latency',
  unit: 's',
  histogram: { dataPoints: [{ timeUnixNano: at.nano, ...point }], aggregationTemporality: 2, ...more },
})

/** Returns the samples of metrics, which must be the same in both encodings. */
function samplesOf(metrics: readonly object[], attributes: readonly object[] = [], rules = {}): string[] {
  const [json, protobuf] = decodeBoth(requestOf(metrics, attributes), rules)
  expect(json).toEqual(protobuf)
  return json ? linesOf(json) : []
}

/** Returns the reasons for which points are refused. */
function refusalsOf(metric: object, attributes: readonly object[] = []) {
  const [json, protobuf] = decodeBoth(requestOf([metric], attributes))
  expect(json).toEqual(protobuf)
  return { rejections: json?.rejections, message: json?.message, series: json?.keys.length }
}

describe('a request of OTLP', () => {
  it.each([
    ['process.cpu.time', 's', 'counter', 'process_cpu_time_seconds_total'],
    ['http.server.request.duration', 'ms', 'gauge', 'http_server_request_duration_milliseconds'],
    ['system.memory.usage', 'By', 'gauge', 'system_memory_usage_bytes'],
    ['disk_bytes', 'By', 'gauge', 'disk_bytes'],
    ['requests_total', '', 'counter', 'requests_total'],
    ['total.requests', '{request}', 'counter', 'requests_total'],
    ['speed', 'm/s', 'gauge', 'speed_meters_per_second'],
    ['rate', '{packet}/s', 'gauge', 'rate_per_second'],
    ['cpu.utilization', '1', 'gauge', 'cpu_utilization_ratio'],
    ['hits', '1', 'counter', 'hits_total'],
    ['2xx..count', '', 'gauge', '_2xx_count'],
    ['a:b', '%', 'gauge', 'a:b_percent'],
    ['smörgås', 'widgets', 'gauge', 'sm_rg_s_widgets'],
  ])('names the metric %s with the unit "%s" of a %s %s', (name, unit, type, expected) => {
    const metric = type === 'gauge' ? gauge(name, { unit }) : { ...sum(name, { asDouble: 1.5 }), unit }
    expect(samplesOf([metric])).toEqual([`${expected}{} 1.5 ${at.milli}`])
  })

  it('turns a resource into job, instance and target_info, and promotes attributes', () => {
    const attributes = [
      attribute('service.name', 'api'),
      attribute('service.namespace', 'shop'),
      attribute('service.instance.id', 'i1'),
      attribute('k8s.pod.name', 'p'),
      attribute('os.type', 'linux'),
    ]
    const rules = { promotedAttributes: ['os.type'], staticLabels: { cluster: 'main' } }
    expect(samplesOf([gauge('g')], attributes, rules)).toEqual([
      `g{cluster="main",instance="i1",job="shop/api",os_type="linux"} 1.5 ${at.milli}`,
      `target_info{cluster="main",instance="i1",job="shop/api",k8s_pod_name="p",os_type="linux"} 1 ${at.milli}`,
    ])
  })

  it('writes all kinds of attribute values as texts, joins those of one label and leaves out empty ones', () => {
    const attributes = [
      attribute('b.c', 'second'),
      attribute('b-c', 'first'),
      attribute('empty', ''),
      { key: 'none' },
      { key: 'flag', value: { boolValue: true } },
      { key: 'int', value: { intValue: '9007199254740993' } },
      { key: 'double', value: { doubleValue: 0.5 } },
      { key: 'bytes', value: { bytesValue: 'AQI=' } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x"' }, { intValue: '1' }, {}] } } },
      { key: 'map', value: { kvlistValue: { values: [attribute('k', 'v')] } } },
      attribute('1st', 'x'),
    ]
    expect(samplesOf([gauge('g', {}, { attributes })])).toEqual([
      `g{b_c="first;second",bytes="AQI=",double="0.5",flag="true",int="9007199254740993",key_1st="x",` +
        `list="["x\\"",1,null]",map="{"k":"v"}"} 1.5 ${at.milli}`,
    ])
  })

  it('turns a histogram into cumulative buckets, the sum and the count', () => {
    const point = { count: '6', sum: 2.5, bucketCounts: ['1', '2', '3'], explicitBounds: [0.0000001, 1e21] }
    const metric = histogram(point)
    expect(samplesOf([metric])).toEqual([
      `latency_seconds_bucket{le="0.0000001"} 1 ${at.milli}`,
      `latency_seconds_bucket{le="1000000000000000000000"} 3 ${at.milli}`,
      `latency_seconds_bucket{le="+Inf"} 6 ${at.milli}`,
      `latency_seconds_sum{} 2.5 ${at.milli}`,
      `latency_seconds_count{} 6 ${at.milli}`,
    ])
  })

  it('turns a summary into quantiles, the sum and the count', () => {
    const point = { timeUnixNano: at.nano, count: '2', sum: 3, quantileValues: [{ quantile: 0.5, value: 1 }, {}] }
    expect(samplesOf([{ name: 's', summary: { dataPoints: [point] } }])).toEqual([
      `s{quantile="0.5"} 1 ${at.milli}`,
      `s{quantile="0"} 0 ${at.milli}`,
      `s_sum{} 3 ${at.milli}`,
      `s_count{} 2 ${at.milli}`,
    ])
  })

  it.each([
    [{ asInt: '9223372036854775807' }, '9223372036854776000'],
    [{ asInt: '-5' }, '-5'],
    [{ asDouble: 'NaN' }, 'NaN'],
    [{ asDouble: '-Infinity' }, '-Infinity'],
    [{ asDouble: 0 }, '0'],
    [{ flags: 1 }, 'stale'],
    [{ flags: 1, asDouble: 3 }, 'stale'],
  ])('reads the value of %j', (point, value) => {
    expect(samplesOf([sum('c', point)])).toEqual([`c_total{} ${value} ${at.milli}`])
  })

  it('reads integers of JSON as numbers, beyond 2^53 too, and ignores unknown members', () => {
    const text = `{"resourceMetrics":[{"x":1,"scopeMetrics":[{"metrics":[{"name":"c","__proto__":{"sum":1},"sum":
      {"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"timeUnixNano":1700000000123456789,"asInt":7,
      "start_time":null,"flags":null}]}}]}]}]}`
    expect(linesOf(decode({ format: 'otlp-json', body: new TextEncoder().encode(text) }))).toEqual([
      `c_total{} 7 ${at.milli}`,
    ])
  })

  it('puts the samples of a series in the order of their times', () => {
    const times = ['3000000', '1000000', '2000000', '1000000']
    const dataPoints = times.map((timeUnixNano, index) => ({ timeUnixNano, asInt: String(index) }))
    expect(samplesOf([{ name: 'g', gauge: { dataPoints } }])).toEqual(['g{} 1 1', 'g{} 3 1', 'g{} 2 2', 'g{} 0 3'])
  })

  const many = Array.from({ length: 31 }, (_, index) => attribute(`a${index}`, 'v'))
  it.each([
    ['delta_temporality', sum('c', { asInt: '1' }, { aggregationTemporality: 1 })],
    ['temporality_missing', sum('c', { asInt: '1' }, { aggregationTemporality: 0 })],
    ['exponential_histogram', { name: 'c', exponentialHistogram: { dataPoints: [{ count: '1' }] } }],
    ['time_missing', sum('c', { asInt: '1', timeUnixNano: '0' })],
    ['value_missing', sum('c', {})],
    ['histogram_invalid', histogram({ bucketCounts: ['1'], explicitBounds: [1] })],
    ['histogram_invalid', histogram({ bucketCounts: ['1', '1', '1'], explicitBounds: [2, 1] })],
    ['label_limit', gauge('c', {}, { attributes: many })],
    ['label_name_length', gauge('c', {}, { attributes: [attribute('a'.repeat(257), 'v')] })],
    ['label_value_length', gauge('c', {}, { attributes: [attribute('a', 'ä'.repeat(1025))] })],
    ['metric_name_invalid', gauge('***')],
    ['metric_name_invalid', gauge('c'.repeat(257))],
    ['metric_name_reserved', gauge('platform.compute.cpu')],
  ])('refuses a point with the reason %s, and names the metric', (reason, metric) => {
    const refused = refusalsOf(metric)
    expect(refused).toMatchObject({ rejections: { [reason]: 1 }, series: 0 })
    expect(refused.message).toMatch(/^(?:c|latency|platform_compute|a metric)/)
  })

  it('takes the other points of a request with a refused one', () => {
    const delta = sum('d', { asInt: '1' }, { aggregationTemporality: 1 })
    const [batch] = decodeBoth(requestOf([delta, gauge('g')]))
    expect(batch && linesOf(batch)).toEqual([`g{} 1.5 ${at.milli}`])
    expect(batch?.metadata).toEqual([{ name: 'g', type: 'GAUGE', unit: '', description: '' }])
  })

  it('sums deltas up for a config that asks for it, each once', () => {
    const sums = new DeltaSums()
    const send = (time: number, config = 'a') => {
      const request = requestOf([
        sum('c', { asInt: '2', timeUnixNano: `${time}000000` }, { aggregationTemporality: 1 }),
      ])
      const body = new TextEncoder().encode(JSON.stringify(request))
      return decode({ format: 'otlp-json', body, rules: { ...plainRules, deltaToCumulative: true, config } }, sums)
    }
    expect(linesOf(send(1))).toEqual(['c_total{} 2 1'])
    expect(linesOf(send(2))).toEqual(['c_total{} 4 2'])
    expect(send(2)).toMatchObject({ keys: [], rejections: { delta_out_of_order: 1 } })
    expect(linesOf(send(3))).toEqual(['c_total{} 6 3'])
    expect(linesOf(send(3, 'b'))).toEqual(['c_total{} 2 3'])
  })

  it.each(['{}', '{"resourceMetrics":[]}', '{"resourceMetrics":null}'])('takes the empty request %s', text => {
    const batch = decode({ format: 'otlp-json', body: new TextEncoder().encode(text) })
    expect(batch).toMatchObject({ keys: [], metadata: [], rejections: {}, message: '' })
  })

  it.each([
    '',
    'null',
    '[]',
    '{"resourceMetrics":{}}',
    '{"resourceMetrics":[1]}',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":1}]}]}]}',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"\\ud800"}]}]}]}',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","gauge":{"dataPoints":[{"asInt":1.5}]}}]}]}]}',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","gauge":{"dataPoints":[{"asDouble":""}]}}]}]}]}',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a","sum":{"aggregationTemporality":"DELTA"}}]}]}]}',
  ])('refuses the body %s', text => {
    const body = new TextEncoder().encode(text)
    expect(() => decode({ format: 'otlp-json', body })).toThrow(expect.objectContaining({ reason: 'PAYLOAD_INVALID' }))
  })
})
