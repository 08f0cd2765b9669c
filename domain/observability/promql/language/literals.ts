/** Units of durations in milliseconds, in the order in which a duration names them. */
const units: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}

/** The longest duration in milliseconds, about 292 years: 2^63 - 1 nanoseconds. */
export const longestDuration = 9_223_372_036_854

/**
 * Returns the value of a number or of a duration, a duration in seconds. NaN and Inf may have any case; an integer that
 * begins with 0 is octal if its digits allow it. Undefined for other texts, for
 * numbers beyond the largest one, and for durations above 292 years.
 */
export function numberOf(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[-+]\s*/, '').toLowerCase()
  if (digits === 'nan') return NaN
  if (digits === 'inf') return sign * Infinity
  if (!digits.startsWith('0x') && /[smhdwy]/.test(digits)) {
    const duration = durationOf(digits)
    return duration > longestDuration ? undefined : (sign * duration) / 1000
  }
  if (/^0(_?[0-7])+$/.test(digits)) return sign * parseInt(digits.replaceAll('_', ''), 8)
  const value = Number(digits.replaceAll('_', ''))
  return Number.isFinite(value) ? sign * value : undefined
}

/** Returns the milliseconds of a duration such as `1h30m`. */
function durationOf(text: string): number {
  let total = 0
  for (const [, digits, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g))
    total += Number(digits) * (units[unit ?? ''] ?? 0)
  return total
}

const simpleEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 }
const escape = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([\s\S]?))/g
const encoder = new TextEncoder()

/**
 * Returns the text of a literal in double quotes, single quotes or backquotes; undefined if the closing quote is absent
 * or an escape is malformed. `\x41` and `\101` are bytes of UTF-8; malformed UTF-8 becomes replacement characters.
 */
export function stringOf(literal: string): string | undefined {
  if (!isClosed(literal)) return undefined
  const inner = literal.slice(1, -1)
  if (literal.startsWith('`') || !inner.includes('\\')) return inner
  const bytes: number[] = []
  let end = 0
  for (const match of inner.matchAll(escape)) {
    const escaped = bytesOf(match, literal.charAt(0))
    if (escaped === undefined) return undefined
    bytes.push(...encoder.encode(inner.slice(end, match.index)), ...escaped)
    end = match.index + match[0].length
  }
  bytes.push(...encoder.encode(inner.slice(end)))
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
}

/** Whether the last character of a literal is its first one again, and no escape consumes it. */
function isClosed(literal: string): boolean {
  const quote = literal.charAt(0)
  if (literal.length < 2 || !literal.endsWith(quote)) return false
  const slashes = quote === '`' ? 0 : (/\\*$/.exec(literal.slice(1, -1))?.[0].length ?? 0)
  return slashes % 2 === 0
}

/** Returns the bytes of an escape; undefined for a byte above 255, a surrogate, and a letter that escapes nothing. */
function bytesOf([, hex, short, long, octal, simple]: RegExpExecArray, quote: string): Iterable<number> | undefined {
  if (hex !== undefined) return [parseInt(hex, 16)]
  if (octal !== undefined) return parseInt(octal, 8) > 255 ? undefined : [parseInt(octal, 8)]
  const digits = short ?? long
  if (digits !== undefined) {
    const code = parseInt(digits, 16)
    const isCharacter = code <= 0x10_ff_ff && (code < 0xd800 || code > 0xdfff)
    return isCharacter ? encoder.encode(String.fromCodePoint(code)) : undefined
  }
  const code = simple === quote ? quote.charCodeAt(0) : simpleEscapes[simple ?? '']
  return code === undefined ? undefined : [code]
}
