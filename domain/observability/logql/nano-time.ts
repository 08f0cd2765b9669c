const perMillisecond = 1_000_000n

/** Returns the RFC 3339 text, with nine digits of a second, of a time in nanoseconds since 1970. */
export function timeText(nanoseconds: bigint): string {
  const rest = ((nanoseconds % perMillisecond) + perMillisecond) % perMillisecond
  const text = new Date(Number((nanoseconds - rest) / perMillisecond)).toISOString()
  return `${text.slice(0, -1)}${String(rest).padStart(6, '0')}Z`
}

/**
 * Returns the nanoseconds since 1970 of an RFC 3339 text whose form was checked. Digits after the ninth one of a second do
 * not count.
 */
export function nanosecondsOfTime(text: string): bigint {
  const [, whole = '', fraction = '', zone = ''] = /^(.*?)(?:\.(\d+))?([Zz]|[-+]\d\d:\d\d)$/.exec(text) ?? []
  const seconds = Date.parse(`${whole}${zone}`) / 1000
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
}
