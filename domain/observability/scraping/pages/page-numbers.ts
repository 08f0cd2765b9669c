const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Returns the number that a text of a page means, as Prometheus reads it; undefined if the text is no such number. */
export function numberOf(text: string): number | undefined {
  if (decimal.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  if (/^nan$/i.test(text)) return Number.NaN
  const [, sign] = /^([+-]?)inf(?:inity)?$/i.exec(text) ?? []
  if (sign === undefined) return undefined
  return sign === '-' ? -Infinity : Infinity
}

/** The largest whole number of seconds or milliseconds that Prometheus takes as a time. */
const maxInt64 = 2n ** 63n - 1n

/** Returns a time in digits as a number; undefined for a time beyond 64 bits. */
export const millisOf = (digits: string): number | undefined => (BigInt(digits) > maxInt64 ? undefined : Number(digits))

/**
 * Returns the text of the number in a label `le` or `quantile`, of which Prometheus 3 stores one form: `1.0` for `1`, and
 * an exponent from a million on. Another text is returned as it is.
 */
export function canonicalNumber(text: string): string {
  const value = numberOf(text)
  if (value === undefined) return text
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const power = Number(exponent)
  if (value !== 0 && (power < -4 || power >= 6)) return withExponent(mantissa, power)
  const plain = String(value)
  return plain.includes('.') ? plain : `${plain}.0`
}

const withExponent = (mantissa: string, power: number): string =>
  `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
