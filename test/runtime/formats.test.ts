import { expect, test } from 'vitest'
import { isDuration, isTime } from '../../runtime/formats.ts'

test.each([
  [isTime, ['00:00:00Z', '23:59:59.999999999+23:59', '08:30:06-08:00', '08:30:06z']],
  [isDuration, ['P1Y', 'P1Y2M3DT4H5M6S', 'P4W', 'PT0S', 'PT36H', 'P1DT12H', 'P1M', 'PT1M']],
])('%o accepts the texts of RFC 3339', (isFormat, texts) => {
  for (const text of texts) expect({ text, fits: isFormat(text) }).toEqual({ text, fits: true })
})

test.each([
  [isTime, ['', '25:00:00Z', '08:30:06', '08:30Z', '08:30:06 +01:00', '2000-01-01T08:30:06Z', '24:00:00Z', '1:2:3Z']],
  [
    isDuration,
    ['', 'P', 'PT', 'P1', '1D', 'P1DT', 'P1Y2D', 'PT1H2S', 'P1W2D', 'P-1D', 'P1.5D', '3.5s', 'p1d', 'nonsense'],
  ],
])('%o refuses other texts', (isFormat, texts) => {
  for (const text of texts) expect({ text, fits: isFormat(text) }).toEqual({ text, fits: false })
})

test('a hostile duration takes time linear in its length', () => {
  expect(isDuration(`P${'1'.repeat(200_000)}`)).toBe(false)
  expect(isDuration(`PT${'1'.repeat(200_000)}H${'1'.repeat(200_000)}`)).toBe(false)
})
