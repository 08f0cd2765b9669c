/**
 * Returns the value of a sample as answers have it: `NaN`, `+Inf`, `-Inf`, or the shortest decimal that reads as the same
 * number, without an exponent, as Prometheus writes it.
 */
export function sampleText(value: number): string {
  if (value === Infinity) return '+Inf'
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text.replace('Infinity', 'Inf')
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}
