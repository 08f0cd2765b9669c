import { durationUnits } from '../../duration-units.ts'

const durationForm = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
const durationPart = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g

/** Returns the nanoseconds of a duration such as `1h2.5s` in the form of Go; undefined for other texts. */
export function durationOf(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0
  if (!durationForm.test(text)) return undefined
  let total = 0
  for (const [, number, unit] of text.matchAll(durationPart))
    total += Number(number) * (durationUnits[unit ?? ''] ?? NaN)
  if (total >= 2 ** 63) return undefined
  return text.startsWith('-') ? -total : total
}

const decimal = /^[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d[\d_]*)?$/
const hexadecimal = /^([-+]?)0[xX]_?([\da-fA-F_]*)\.?([\da-fA-F_]*)[pP]([-+]?\d+)$/
const special = /^([-+]?)(?:inf|infinity|nan)$/i

/** Returns the value of a number as Go's `strconv.ParseFloat` reads it; undefined for other texts and beyond its range. */
export function numberOf(text: string): number | undefined {
  if (special.test(text)) {
    if (/nan/i.test(text)) return /^[-+]/.test(text) ? undefined : NaN
    return text.startsWith('-') ? -Infinity : Infinity
  }
  const value = decimal.test(text) ? decimalOf(text) : hexadecimalOf(text)
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

/** Underscores may stand between two digits. */
const decimalOf = (text: string): number | undefined =>
  /(?<!\d)_|_(?!\d)/.test(text) ? undefined : Number(text.replaceAll('_', ''))

function hexadecimalOf(text: string): number | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = hexadecimal.exec(text) ?? []
  const digits = (whole + fraction).replaceAll('_', '')
  if (digits === '') return undefined
  let value = 0
  for (const digit of digits) value = value * 16 + parseInt(digit, 16)
  value *= 2 ** (Number(exponent) - 4 * fraction.replaceAll('_', '').length)
  return sign === '-' ? -value : value
}

const [kilo, kibi] = [1000, 1024] as const

/** Powers of 1000, or of 1024 with `i`, by the first letter of a unit of bytes. */
const byteUnits = ['', 'k', 'm', 'g', 't', 'p', 'e'] as const

/** Returns the bytes of a size such as `42 MB`, `1.5KiB` or `1,024`; undefined for other texts and from 2^64 on. */
export function bytesOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^([\d.,]*)\s*([a-z]*)\s*$/i.exec(text) ?? []
  const number = numberOf(digits.replaceAll(',', ''))
  const [, letter = '', binary = ''] = /^([kmgtpe]?)(i?)b?$/.exec(unit.toLowerCase()) ?? []
  const power = byteUnits.findIndex(each => each === letter)
  if (number === undefined || (letter === '' && !/^b?$/i.test(unit))) return undefined
  const bytes = Math.trunc(number * (binary === '' ? kilo : kibi) ** power)
  return bytes >= 2 ** 64 ? undefined : bytes
}
