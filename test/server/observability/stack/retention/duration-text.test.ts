import { describe, expect, it } from 'vitest'
import { durationTextMs, flagDurationMs } from '../../../../../server/observability/stack/retention/duration-text.ts'
import { MalformedResult } from '../../../../../server/observability/stack/metrics/result-values.ts'

const [hour, day] = [3_600_000, 86_400_000]

describe('a duration of a member', () => {
  it.each([
    ['15d', 15 * day],
    ['1d12h', 36 * hour],
    ['1y2w3d4h5m6s7ms', 382 * day + 4 * hour + 306_007],
    ['336h0m0s', 14 * day],
    ['1.5h', 1.5 * hour],
    ['1500µs', 1],
    ['0s', 0],
    ['0', 0],
    ['10000y', 10_000 * 365 * day],
  ])('%s has %i milliseconds', (text, ms) => {
    expect(durationTextMs(text)).toBe(ms)
  })

  const hostile = [
    '',
    ' ',
    'soon',
    '15',
    '15x',
    '-1d',
    '1d 2h',
    '1d,2h',
    '+1d',
    '1e3d',
    'd',
    '1dd',
    '1.d',
    '.5d',
    '0x1d',
    'NaNd',
  ]
  const long = ['10001y', `${'9'.repeat(15)}y`, `${'1'.repeat(90)}d`]

  it.each([...hostile, ...long, '1M', '1d\n2d', undefined, null, 15, ['15d'], {}])('is not %j', text => {
    expect(() => durationTextMs(text)).toThrow(MalformedResult)
  })

  it('is read in a time that does not grow with a hostile text', () => {
    const begun = performance.now()
    expect(() => durationTextMs(`${'1d'.repeat(1_000_000)}!`)).toThrow(MalformedResult)
    expect(() => durationTextMs(`${'1d'.repeat(39)}!`)).toThrow(MalformedResult)
    expect(performance.now() - begun).toBeLessThan(1000)
  })
})

describe('a flag of VictoriaMetrics', () => {
  it.each([
    ['1', 31 * day],
    ['3', 93 * day],
    ['0.5', 15.5 * day],
    ['2M', 62 * day],
    ['45d', 45 * day],
    ['1.5y', 547.5 * day],
    ['4w', 28 * day],
    ['100y', 36_500 * day],
  ])('%s has %i milliseconds', (text, ms) => {
    expect(flagDurationMs(text)).toBe(ms)
  })

  it.each(['', 'M', '1MM', '1M2d', 'secret', '-1', '1 '])('is not %j', text => {
    expect(() => flagDurationMs(text)).toThrow(MalformedResult)
  })
})
