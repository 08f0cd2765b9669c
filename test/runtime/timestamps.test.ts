import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMillis, parseDuration, parseTimestamp, storedTimestamp } from '../../runtime/timestamps.ts'

describe('a timestamp', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000000000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000000000Z'],
    ['2026-01-31t12:00:00.25+05:30', '2026-01-31T06:30:00.250000000Z'],
    ['2024-02-29T00:00:00z', '2024-02-29T00:00:00.000000000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500000000Z'],
    ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123456789Z'],
    ['2026-01-31T12:00:00+05:30', '2026-01-31T06:30:00.000000000Z'],
    ['2026-01-31T12:00:00.25-12:00', '2026-02-01T00:00:00.250000000Z'],
    ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000000000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
  ])('%s is %s', (text, expected) => expect(parseTimestamp(text)).toBe(expected))

  it.each([
    '',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-01-31T12:00:00.Z',
    '2026-01-31T12:00:00.1234567890Z',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+05:60',
    '2026-01-31T12:00:00+0530',
    ' 2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00Z\n',
    '1767225600',
  ])('%j is refused', text => expect(parseTimestamp(text)).toBeUndefined())

  it('is the same instant as in Date, with any offset', () => {
    const date = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (instant, minutes) => {
        const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, 23)
        const size = Math.abs(minutes)
        const offset = `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`
        const expected = `${instant.toISOString().slice(0, 23)}000000Z`
        expect(parseTimestamp(local + offset)).toBe(expected)
        expect(storedTimestamp(formatMillis(instant.getTime()))).toBe(expected)
      }),
    )
  })
})

describe('a stored timestamp', () => {
  it.each(['2026-01-31T12:00:00.000Z', '2026-01-31t12:00:00.000Z', '2026-01-31t12:00:00.000z', '2026-01-31T12:00:00Z'])(
    'as a caller may write it, %s, is compared as its instant',
    text => {
      expect(storedTimestamp(text)).toBe('2026-01-31T12:00:00.000000000Z')
    },
  )
})

describe('a duration', () => {
  it.each<[string, bigint | undefined]>([
    ['90s', 90_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['0.000000001s', 1n],
    ['-3s', -3_000_000_000n],
    ['90', undefined],
    ['90 s', undefined],
    ['1h', undefined],
    ['.5s', undefined],
    ['1e3s', undefined],
    ['', undefined],
  ])('%j is %s nanoseconds', (text, expected) => expect(parseDuration(text)).toBe(expected))
})
