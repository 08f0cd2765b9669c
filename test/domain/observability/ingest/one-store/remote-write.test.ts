import { describe, expect, it } from 'vitest'
import { compress } from 'snappyjs'
import { decode, linesOf, plainRules } from '../decoding.ts'
import { encoded } from '../encoded-messages.ts'

const label = (name: string, value: string) => ({ name, value })

const decodeRequest = (request: object, staticLabels = {}) =>
  decode({
    format: 'remote-write',
    coding: 'snappy',
    body: compress(encoded('WriteRequest', request)),
    rules: { ...plainRules, staticLabels },
  })

describe('a request of remote write', () => {
  it('has series, samples and metadata', () => {
    const batch = decodeRequest(
      {
        timeseries: [
          {
            labels: [label('__name__', 'up'), label('job', 'a'), label('empty', '')],
            samples: [
              { value: 1, timestamp: '1700000000123' },
              { value: 0, timestamp: '-5' },
            ],
          },
        ],
        metadata: [{ type: 2, metricFamilyName: 'up', help: 'Whether it is up.', unit: 's' }],
      },
      { cluster: 'main', job: 'b' },
    )
    expect(linesOf(batch)).toEqual(['up{cluster="main",job="b"} 0 -5', 'up{cluster="main",job="b"} 1 1700000000123'])
    expect(batch.metadata).toEqual([{ name: 'up', type: 'GAUGE', unit: 's', description: 'Whether it is up.' }])
  })

  it('keeps marks of ended series, and no other NaN as a mark', () => {
    const request = encoded('WriteRequest', {
      timeseries: [{ labels: [label('__name__', 'a')], samples: [{ value: Number.NaN, timestamp: 1 }] }],
    })
    const place = request.findIndex((_, index) => request[index + 6] === 0xf8 && request[index + 7] === 0x7f)
    const send = (bits: bigint) => {
      const bytes = Uint8Array.from(request)
      new DataView(bytes.buffer).setBigUint64(place, bits, true)
      return linesOf(decode({ format: 'remote-write', coding: 'snappy', body: compress(bytes) }))
    }
    expect(send(0x7ff0_0000_0000_0002n)).toEqual(['a{} stale 1'])
    expect(send(0x7ff8_0000_0000_0001n)).toEqual(['a{} NaN 1'])
    expect(send(0xfff0_0000_0000_0002n)).toEqual(['a{} NaN 1'])
  })

  const named = label('__name__', 'a')
  it.each([
    ['label_duplicate', { labels: [named, label('x', '1'), label('x', '2')] }],
    ['label_name_invalid', { labels: [named, label('', '1')] }],
    ['metric_name_invalid', { labels: [label('x', '1')] }],
    ['metric_name_reserved', { labels: [label('__name__', 'platform_x')] }],
    ['label_limit', { labels: [named, ...Array.from({ length: 31 }, (_, index) => label(`l${index}`, 'v'))] }],
  ])('refuses the samples of a series with the reason %s', (reason, series) => {
    const samples = [
      { value: 1, timestamp: 1 },
      { value: 1, timestamp: 2 },
    ]
    const batch = decodeRequest({ timeseries: [{ ...series, samples }] })
    expect(batch).toMatchObject({ keys: [], rejections: { [reason]: 2 } })
    expect(batch.message).not.toBe('')
  })

  it('refuses native histograms', () => {
    const batch = decodeRequest({ timeseries: [{ labels: [named], histograms: [{ countInt: 1 }] }] })
    expect(batch).toMatchObject({ rejections: { native_histogram: 1 }, message: expect.stringMatching(/^a has/) })
  })
})
