/**
 * The first and the last second of a timestamp, 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in milliseconds since
 * 1970.
 */
const earliest = -62_135_596_800_000
const latest = 253_402_300_799_000

const shape =
  /^(?!0000)(\d{4})-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31|02-(29))[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/**
 * Converts an RFC 3339 date-time with any offset and 0 to 9 fraction digits to `YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ`: UTC,
 * years 0001 to 9999, so that instants compare as text. `T` and `Z` may be lower case (RFC 3339 §5.6); there are no leap
 * seconds, as in google.protobuf.Timestamp. Returns undefined for other text.
 */
export function parseTimestamp(text: string): string | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const [, year, leapDay, fraction = '', sign, hours, minutes] = match
  if (leapDay && !isLeap(Number(year))) return undefined
  let second = text.slice(0, 19)
  if (second[10] === 't') second = second.toUpperCase()
  if (sign !== undefined) {
    const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
    const instant = Date.parse(`${second}Z`) - offset * 60_000
    if (instant < earliest || instant > latest) return undefined
    second = new Date(instant).toISOString().slice(0, 19)
  }
  return `${second}.${fraction.padEnd(9, '0')}Z`
}

/**
 * Returns the canonical text of a stored timestamp. Text with three fraction digits and the letters `T` and `Z` is in the
 * form of the server and is not checked.
 */
export function storedTimestamp(text: string): string | undefined {
  const isPlain = text.length === 24 && text[10] === 'T' && text[19] === '.' && text[23] === 'Z'
  return isPlain ? `${text.slice(0, 23)}000000Z` : parseTimestamp(text)
}

/**
 * Returns the text of a time in milliseconds since 1970 for answers: RFC 3339, UTC, three fraction digits (conventions
 * §1).
 */
export function formatMillis(millis: number): string {
  return new Date(millis).toISOString()
}

/** Converts a duration `"<n>s"` with up to nine fraction digits to nanoseconds; returns undefined for other text. */
export function parseDuration(text: string): bigint | undefined {
  const [, sign, seconds, fraction = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text) ?? []
  if (seconds === undefined) return undefined
  const nanos = BigInt(seconds + fraction.padEnd(9, '0'))
  return sign === '-' ? -nanos : nanos
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
