import { describe, expect, it } from 'vitest'
import type { Metric } from '../../../../server/health/metrics.ts'
import { Buckets } from '../../../../server/meters/buckets.ts'
import { platformSamples } from '../../../../server/observability/own-metrics/platform-samples.ts'

const texts = (metrics: readonly Metric[]): readonly string[] =>
  platformSamples(metrics, { instance: 'here' }, 5).map(({ labels, name, time, type, value }) => {
    const { instance, ...others } = labels
    expect([instance, time]).toEqual(['here', 5])
    return `${type} ${name} ${JSON.stringify(others)} ${value}`
  })

const named = { help: 'Help.', name: 'ninefold_things' } as const

describe('samples of the metrics of a server', () => {
  it('have the prefix of the platform', () => {
    expect(texts([{ ...named, kind: 'gauge', read: () => 3 }])).toEqual(['GAUGE platform_things {} 3'])
  })

  it.each([Number.NaN, Infinity])('leave the value %s out', value => {
    expect(texts([{ ...named, kind: 'gauge', read: () => value }])).toEqual([])
  })

  it('sum counters over operations, and keep the other labels', () => {
    const read = () => [
      { labels: { area: 'iam', operation: 'getUser', code: 'OK' }, value: 2 },
      { labels: { area: 'iam', operation: 'listUsers', code: 'OK' }, value: 5 },
      { labels: { area: 'iam', operation: 'getUser', code: 'NOT_FOUND' }, value: 1 },
      { labels: { area: 'vault', operation: 'getSecret', code: 'OK' }, value: 4 },
    ]
    expect(texts([{ ...named, kind: 'counter', read }])).toEqual([
      'COUNTER platform_things {"area":"iam","code":"OK"} 7',
      'COUNTER platform_things {"area":"iam","code":"NOT_FOUND"} 1',
      'COUNTER platform_things {"area":"vault","code":"OK"} 4',
    ])
  })

  it('write histograms with cumulated buckets, summed over operations', () => {
    const bucketsOf = (...milliseconds: number[]): Buckets => {
      const buckets = new Buckets([0.01, 0.5])
      for (const each of milliseconds) buckets.observe(each)
      return buckets
    }
    const read = () => [
      { labels: { area: 'iam', operation: 'getUser' }, buckets: bucketsOf(4, 250) },
      { labels: { area: 'iam', operation: 'listUsers' }, buckets: bucketsOf(250, 1000) },
    ]
    expect(texts([{ ...named, kind: 'histogram', read }])).toEqual([
      'COUNTER platform_things_bucket {"area":"iam","le":"0.01"} 1',
      'COUNTER platform_things_bucket {"area":"iam","le":"0.5"} 3',
      'COUNTER platform_things_bucket {"area":"iam","le":"+Inf"} 4',
      'COUNTER platform_things_sum {"area":"iam"} 1.504',
      'COUNTER platform_things_count {"area":"iam"} 4',
    ])
  })
})
