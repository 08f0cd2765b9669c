import type { FollowedPosition } from '../../../../domain/observability/logs/log-follower.ts'

/** The time in nanoseconds for which a tail shows entries that arrive late: a minute. */
export const latenessNanos = 60_000_000_000n

/** The entries that a window remembers if more have been shown, and the bytes of their answers together. */
const [mostShown, mostBytes] = [2_000, 2 * 2 ** 20] as const

/** The entries that a window remembers at all. */
const mostRemembered = 4_000

/** The characters of the mark of an entry. */
export const markLength = 8

/** The times in which entries may still arrive, and the entries there that were shown. */
export interface TailWindow {
  /** The beginning of the window in nanoseconds since 1970. */
  readonly from: bigint
  /** The marks of the entries that were shown; entries that look alike have equal marks. */
  readonly shown: readonly string[]
}

/** An entry in a window. */
export interface MarkedEntry {
  /** A text of `markLength` characters that is another one for an entry that looks another way. */
  readonly mark: string
  /** The time of the entry in nanoseconds since 1970. */
  readonly time: bigint
  /** The bytes of the entry in an answer. */
  readonly bytes: number
}

/** Returns the window of a position that `positionOf` has made. */
export function windowOf([from = '0', marks = '']: FollowedPosition): TailWindow {
  const count = marks.length / markLength
  const shown = Array.from({ length: count }, (_, i) => marks.slice(i * markLength, (i + 1) * markLength))
  return { from: BigInt(from), shown }
}

/** Returns the position that has a window. */
export const positionOf = ({ from, shown }: TailWindow): FollowedPosition => [String(from), shown.join('')]

/** The entries of a read. */
export interface SplitEntries<Entry> {
  /** The entries that a window has shown. */
  readonly known: readonly Entry[]
  readonly fresh: readonly Entry[]
  /** The marks of shown entries that are not among the entries. */
  readonly absent: readonly string[]
}

/** Divides entries by the window; of entries that look alike, as many are known as were shown. */
export function splitEntries<Entry extends MarkedEntry>(
  { shown }: TailWindow,
  entries: readonly Entry[],
): SplitEntries<Entry> {
  const left = new Map<string, number>()
  for (const mark of shown) left.set(mark, (left.get(mark) ?? 0) + 1)
  const known: Entry[] = []
  const fresh: Entry[] = []
  for (const entry of entries) {
    const count = left.get(entry.mark) ?? 0
    if (count > 0) left.set(entry.mark, count - 1)
    ;(count > 0 ? known : fresh).push(entry)
  }
  return { known, fresh, absent: [...left].flatMap(([mark, count]) => Array.from({ length: count }, () => mark)) }
}

/** The entries that a window has seen. */
export interface SeenEntries {
  /** The entries that were shown until now. */
  readonly shown: readonly MarkedEntry[]
  /** The marks of shown entries behind them, at which the window has not looked again. */
  readonly later: readonly string[]
  /** The time up to which all entries were shown, in nanoseconds since 1970. */
  readonly until: bigint
}

/**
 * Returns the window that follows a window. It begins with the latest time before which no entry is expected: all before
 * it was shown, and it lies `latenessNanos` before `now`, or the entries since then are as many as a window remembers.
 */
export function nextWindow({ from }: TailWindow, { later, shown, until }: SeenEntries, now: bigint): TailWindow {
  const newestFirst = shown.toSorted((one, other) => Number(other.time - one.time))
  const expected = latest(now - latenessNanos, beginOf(newestFirst))
  const begin = latest(from, until < expected ? until : expected)
  // Only thousands of entries in the time that was not shown wholly, or at one nanosecond, are given up.
  const beyond = newestFirst[Math.max(0, mostRemembered - later.length)]
  const next = beyond === undefined ? begin : latest(begin, beyond.time + 1n)
  const remembered = newestFirst.filter(({ time }) => time >= next).map(({ mark }) => mark)
  return { from: next, shown: [...remembered, ...later] }
}

/** Returns the time of the first of the newest entries that a window remembers. */
function beginOf(newestFirst: readonly MarkedEntry[]): bigint {
  let bytes = 0
  let begin = 0n
  for (const [index, entry] of newestFirst.entries()) {
    bytes += entry.bytes
    if (index >= mostShown || (index > 0 && bytes > mostBytes)) return begin
    begin = entry.time
  }
  return 0n
}

const latest = (one: bigint, other: bigint): bigint => (one > other ? one : other)
