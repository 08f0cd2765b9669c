/**
 * Writes the value of a sample as the API of Prometheus does: the shortest decimal that reads back as the same number, with
 * an exponent of at least two digits from 1e21 on and below 1e-6; `NaN`, `+Inf` and `-Inf`.
 */
export function formatValue(value: number): string {
  const text = special(value) ?? String(value)
  return text.includes('e') ? text.replace(/e([-+])(\d)$/, 'e$10$2') : text
}

/** Writes a value as `formatValue` does, but never with an exponent: the form of values in labels. */
export const formatDecimal = (value: number): string => special(value) ?? withoutExponent(String(value))

function special(value: number): string | undefined {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return Object.is(value, -0) ? '-0' : undefined
}

function withoutExponent(text: string): string {
  if (!text.includes('e')) return text
  const [mantissa = '', exponent = '0'] = text.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}
