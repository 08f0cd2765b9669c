import { parseDuration } from '../../runtime/timestamps.ts'

/** Returns the milliseconds of a duration `"<n>s"`, rounded down; NaN for another text. */
export function durationMs(text: string): number {
  const nanos = parseDuration(text)
  return nanos === undefined ? Number.NaN : Number(nanos / 1_000_000n)
}
