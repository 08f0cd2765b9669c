import { describe, expect, it } from 'vitest'
import { distancesOf, written, type Unit } from '../../../../server/pages/browser/scales.ts'

const cases: readonly (readonly [number | null, Unit, string])[] = [
  [null, 'count', '–'],
  [0, 'perSecond', '0/s'],
  [0, 'seconds', '0 s'],
  [0, 'bytes', '0 B'],
  [0.0667, 'perSecond', '0.0667/s'],
  [9999, 'perSecond', '9999/s'],
  [12_345, 'perSecond', '12.3 k/s'],
  [2_500_000, 'count', '2.5 M'],
  [3e9, 'count', '3 G'],
  [0.000_004_2, 'seconds', '4.2 µs'],
  [0.0123, 'seconds', '12.3 ms'],
  [1.5, 'seconds', '1.5 s'],
  [512, 'bytes', '512 B'],
  [1536, 'bytes', '1.5 KiB'],
  [268_435_456, 'bytes', '256 MiB'],
  [-2048, 'bytes', '-2 KiB'],
  [0.123, 'share', '12.3 %'],
  [2, 'share', '200 %'],
]

describe('values of charts', () => {
  it.each(cases)('write %s %s as %s', (value, unit, text) => expect(written(value, unit)).toBe(text))

  it.each(['bytes', 'count', 'perSecond', 'seconds', 'share'] as const)('in %s have ascending ticks', unit => {
    const distances = distancesOf(unit)
    expect(distances).toEqual(distances.toSorted((one, other) => one - other))
    expect(Math.min(...distances)).toBeGreaterThan(0)
  })
})
