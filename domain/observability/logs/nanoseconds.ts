import { formatMillis } from '../../../runtime/timestamps.ts'

/** The nanoseconds of a millisecond. */
const nanos = 1_000_000n

/** Returns a time in nanoseconds since 1970 as RFC 3339 with nine fraction digits. */
export function formatNanos(time: bigint): string {
  const ms = time >= 0n || time % nanos === 0n ? time / nanos : time / nanos - 1n
  return `${formatMillis(Number(ms)).slice(0, -1)}${String(time - ms * nanos).padStart(6, '0')}Z`
}

/** Returns the nanoseconds since 1970 of a time in RFC 3339 with at most nine fraction digits. */
export function parseNanos(time: string): bigint {
  const [, fraction = ''] = /\.(\d+)/.exec(time) ?? []
  const wholeSeconds = BigInt(Date.parse(time.replace(/\.\d+/, ''))) * nanos
  return wholeSeconds + BigInt(fraction.padEnd(9, '0'))
}
