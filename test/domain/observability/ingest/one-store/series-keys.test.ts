import { compress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { decodePush } from '../../../../../domain/observability/ingest/decode-push.ts'
import { DeltaSums } from '../../../../../domain/observability/ingest/delta-sums.ts'
import { SeriesKeys } from '../../../../../domain/observability/ingest/series-keys.ts'
import type { PushRules } from '../../../../../domain/observability/metrics/metric-engine.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { linesOf, plainRules } from '../decoding.ts'
import { encoded } from '../encoded-messages.ts'

const decode = (bytes: Uint8Array, keys: SeriesKeys, rules: Partial<PushRules> = {}) =>
  decodePush(
    { format: 'remote-write', coding: 'snappy', body: compress(bytes), rules: { ...plainRules, ...rules } },
    new DeltaSums(),
    keys,
  )

const label = (name: string, value: string) => ({ name, value })

/** Returns a series with labels in any order; some are refused, and some have labels of several bytes a character. */
function randomSeries(random: Random): object {
  const labels = [
    label('__name__', random.oneOf(['up', 'rate_é', 'platform_x', ''])),
    label('job', random.oneOf(['a', 'b', 'ü', ''])),
    label(random.oneOf(['x', 'job', '']), random.oneOf(['1', '2'])),
  ].filter(() => random.percent(80))
  const samples = Array.from({ length: random.below(4) }, () => ({
    value: random.below(9),
    timestamp: String(1_700_000_000_000 + random.below(3)),
  }))
  return { labels: random.percent(50) ? labels : labels.toReversed(), samples }
}

describe('a series that a sender repeats', () => {
  it('is read each time as if it were new', () => {
    const random = seeded(27)
    const keys = new SeriesKeys()
    for (let round = 0; round < 300; round += 1) {
      const timeseries = Array.from({ length: 5 }, () => randomSeries(random))
      const request = encoded('WriteRequest', { timeseries })
      const rules = { staticLabels: random.oneOf<Record<string, string>>([{}, { job: 'z' }, { zone: 'eu' }]) }
      const fresh = decode(request, new SeriesKeys(), rules)
      expect(decode(request, keys, rules)).toEqual(fresh)
      expect(decode(request, keys, rules)).toEqual(fresh)
    }
  })

  it('has the static labels of the config of each request', () => {
    const keys = new SeriesKeys()
    const request = encoded('WriteRequest', {
      timeseries: [{ labels: [label('__name__', 'up')], samples: [{ value: 1, timestamp: '5' }] }],
    })
    const linesWith = (staticLabels: Record<string, string>) => linesOf(decode(request, keys, { staticLabels }))
    expect(linesWith({ zone: 'eu' })).toEqual(['up{zone="eu"} 1 5'])
    expect(linesWith({})).toEqual(['up{} 1 5'])
    expect(linesWith({ zone: 'us' })).toEqual(['up{zone="us"} 1 5'])
    expect(linesWith({ zone: 'eu' })).toEqual(['up{zone="eu"} 1 5'])
  })
})

describe('the fields of a series', () => {
  const field = (tag: number, bytes: Uint8Array) => Uint8Array.from([tag, bytes.length, ...bytes])
  const labels = (name: string, value: string) => field(0x0a, encoded('Label', label(name, value)))
  const sample = (value: number, timestamp: number) => field(0x12, encoded('Sample', { value, timestamp }))
  const request = (...fields: readonly Uint8Array[]) => field(0x0a, Uint8Array.from(fields.flatMap(each => [...each])))

  it('may lie in any order, with unknown fields among them', () => {
    const unknown = Uint8Array.from([0x78, 1])
    const whole = request(
      labels('__name__', 'up'),
      sample(1, 5),
      unknown,
      labels('b', '2'),
      sample(2, 6),
      labels('a', '1'),
    )
    expect(linesOf(decode(whole, new SeriesKeys()))).toEqual(['up{a="1",b="2"} 1 5', 'up{a="1",b="2"} 2 6'])
  })

  it('may have labels at very many places; such a series is refused', () => {
    const count = 4096
    const pieces = Uint8Array.from({ length: count * 4 }, (_, i) => [0x0a, 0, 0x78, 1][i % 4] ?? 0)
    const named = Array.from({ length: 300 }, (_, i) => [...labels(`l${i}`, 'v'), 0x78, 1]).flat()
    for (const [many, reason] of [
      [[...pieces], 'label_name_invalid'],
      [[...labels('__name__', 'a'), ...named], 'label_limit'],
    ] as const) {
      const body = [...many, ...sample(1, 5)]
      const length = [(body.length & 127) | 128, ((body.length >> 7) & 127) | 128, body.length >> 14]
      const batch = decode(Uint8Array.from([0x0a, ...length, ...body]), new SeriesKeys())
      expect(batch).toMatchObject({ keys: [], rejections: { [reason]: 1 } })
    }
  })

  it('may be repeated in one request, whose samples are put in the order of their times', () => {
    const one = (...samples: readonly Uint8Array[]) => request(labels('__name__', 'one'), ...samples)
    const other = (...samples: readonly Uint8Array[]) => request(labels('__name__', 'other'), ...samples)
    const parts = [
      one(sample(3, 30)),
      other(sample(1, 9), sample(2, 8)),
      one(sample(1, 10), sample(2, 20), sample(4, 10)),
    ]
    const whole = Uint8Array.from(parts.flatMap(part => [...part]))
    expect(linesOf(decode(whole, new SeriesKeys()))).toEqual([
      'one{} 1 10',
      'one{} 4 10',
      'one{} 2 20',
      'one{} 3 30',
      'other{} 2 8',
      'other{} 1 9',
    ])
  })

  it.each([
    ['a series that ends beyond the request', [0x0a, 9, 0x0a, 0]],
    ['a label that ends beyond its series', [0x0a, 2, 0x0a, 5, 0, 0, 0, 0, 0]],
    ['a sample that ends beyond its series', [0x0a, 2, 0x12, 9, ...new Uint8Array(9)]],
    ['a value that ends beyond its sample', [0x0a, 4, 0x12, 2, 0x09, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['a label as a number', [0x0a, 2, 0x08, 1]],
    ['a value as text', [0x0a, 4, 0x12, 2, 0x0a, 0]],
    ['a time without an end', [0x0a, 4, 0x12, 2, 0x10, 0x80]],
    ['a series as a number', [0x08, 1]],
  ])('are refused with %s', (_, bytes) => {
    expect(() => decode(Uint8Array.from(bytes), new SeriesKeys())).toThrow(
      expect.objectContaining({ reason: 'PAYLOAD_INVALID' }),
    )
  })
})
