import { createHash } from 'node:crypto'
import type {
  FollowedBegin,
  FollowedPage,
  FollowedPosition,
  FollowedRead,
  LogFollower,
} from '../../../../domain/observability/logs/log-follower.ts'
import { tailEntry } from '../../../../domain/observability/logs/tail-entry.ts'
import type { ShownEntry } from '../../../../domain/observability/logql/evaluation/log-query.ts'
import { labelKey } from '../../../../domain/observability/metrics/label-key.ts'
import { limitExceeded } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import { QueryFaults } from '../../../../domain/observability/promql/language/faults.ts'
import { logqlText } from '../../../../domain/observability/stacks/queries/logql-text.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import type { MemberClient } from '../member-client.ts'
import { MalformedResult, recordOf } from '../metrics/result-values.ts'
import { refusedReading } from '../refused-query.ts'
import type { LokiApi } from './loki-api.ts'
import { entriesOf } from './loki-entries.ts'
import { latenessNanos, markLength, nextWindow, positionOf, splitEntries, windowOf } from './tail-window.ts'
import type { MarkedEntry } from './tail-window.ts'

/** The nanoseconds of a millisecond, and the longest range of a read: a day. */
const [milli, day] = [1_000_000n, 86_400_000_000_000n] as const

/** The entries that a tail remembers at its beginning. */
const rememberedAtBegin = 2_000

/** How much less a read asks for if an answer has too many bytes. */
const factor = 8

/** The longest time of a read, in milliseconds. */
const timeoutMs = 10_000

/** The pauses between reads in milliseconds: of past times, of the present, and at most. */
const [stepMs, idleMs, longestPauseMs] = [100, 500, 5_000] as const

/** How much longer a pause is than the read before. */
const busyFactor = 4

/** The earliest time of a tail, in nanoseconds since 1970: the year 2000. */
const earliest = BigInt(Date.UTC(2000, 0, 1)) * milli

/** An entry that Loki has answered. */
interface ReadEntry extends MarkedEntry {
  readonly entry: ShownEntry
}

/** The entries between two times in nanoseconds since 1970, the first one included. */
interface ReadRange {
  readonly start: bigint
  readonly end: bigint
  readonly direction: 'backward' | 'forward'
  readonly limit: number
}

/** The entries of a range in the order of their times. */
interface RangeEntries {
  readonly entries: readonly ReadEntry[]
  /** Whether the range may have more entries, because the answer has as many as were asked for. */
  readonly isCut: boolean
}

/**
 * Follows the logs in a store that serves the HTTP API of Loki, which has no order in which entries came in: a read looks
 * again at the last minute of times, and leaves out the entries that were shown. Entries of the future wait for their time.
 */
export class LokiFollower implements LogFollower {
  readonly #api: LokiApi

  constructor(api: LokiApi) {
    this.#api = api
  }

  /** Callers of a busy store read less often, so that their reads take a part of its time only. */
  pauseMs(tookMs: number, hasMore: boolean): number {
    return hasMore ? stepMs : Math.min(Math.max(idleMs, busyFactor * tookMs), longestPauseMs)
  }

  admit(workspace: string, query: string): void {
    this.#text(workspace, query)
  }

  /** Entries that have a time before `since` are not shown, because Loki does not know when an entry came in. */
  async begin(workspace: string, { now, query, since }: FollowedBegin, signal: AbortSignal): Promise<FollowedPosition> {
    if (since !== undefined) return positionOf({ from: since > earliest ? since : earliest, shown: [] })
    const end = endOf(now)
    const from = end - latenessNanos
    const range = { start: from, end, direction: 'backward', limit: rememberedAtBegin } as const
    const { entries, isCut } = await this.#fitting(workspace, query, range, signal)
    // Entries that the answer lacks were there before.
    const begin = isCut ? (entries[0]?.time ?? from) + 1n : from
    const shown = entries.filter(({ time }) => time >= begin)
    return positionOf(nextWindow({ from: begin, shown: [] }, { shown, later: [], until: end }, end - 1n))
  }

  knows(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async read(workspace: string, read: FollowedRead, signal: AbortSignal): Promise<FollowedPage> {
    const { after, limit, now, query } = read
    const window = windowOf(after)
    const present = endOf(now)
    const end = window.from + day < present ? window.from + day : present
    if (end <= window.from) return { entries: [], position: after, skipped: 0, hasMore: false }
    const range = { start: window.from, end, direction: 'forward', limit: window.shown.length + limit } as const
    const { entries, isCut } = await this.#fitting(workspace, query, range, signal)
    const { absent, fresh, known } = splitEntries(window, entries)
    const page = fresh.slice(0, limit)
    const last = fresh.length > limit ? page.at(-1) : isCut ? entries.at(-1) : undefined
    const until = last?.time ?? end
    const seen = { shown: [...known, ...page], later: isCut ? absent : [], until }
    const next = nextWindow(window, seen, present - 1n)
    // If an answer of bearable size has shown entries alone, the next read begins behind these entries.
    const position = isCut && page.length === 0 ? { ...next, from: until + 1n, shown: [...absent] } : next
    return {
      entries: page.map(({ entry }) => tailEntry(entry)),
      position: positionOf(position),
      skipped: 0,
      hasMore: until < present && position.from > window.from,
    }
  }

  newEntries(): Promise<void> {
    return Promise.resolve()
  }

  /** Returns the entries of a range, with fewer than its limit if an answer with so many has too many bytes. */
  async #fitting(workspace: string, query: string, range: ReadRange, signal: AbortSignal): Promise<RangeEntries> {
    for (let { limit } = range; ; limit = Math.ceil(limit / factor)) {
      try {
        const entries = await this.#entries(workspace, query, { ...range, limit }, signal)
        return { entries, isCut: entries.length >= limit }
      } catch (error) {
        if (limit === 1 || !isOfBytes(error)) throw error
      }
    }
  }

  async #entries(workspace: string, query: string, range: ReadRange, signal: AbortSignal): Promise<ReadEntry[]> {
    const { direction, end, limit, start } = range
    const form = Object.entries({
      query: this.#text(workspace, query),
      start: String(start),
      end: String(end),
      limit: String(limit),
      direction,
    })
    const call = { workspace, path: 'query_range', form, timeoutMs, signal, refused }
    return this.#api.call(call, data => {
      const entries = entriesOf(recordOf(data), this.#api.labelled(workspace)).map(read => marked(read))
      if (entries.some(({ time }) => time < start || time >= end)) throw new MalformedResult()
      return entries.toSorted((one, other) => Number(one.time - other.time))
    })
  }

  /** Returns the text of a log query. Throws QUERY_TYPE_INVALID for a metric query. */
  #text(workspace: string, query: string): string {
    const { isMetric, text } = logqlText(query, this.#api.labelled(workspace))
    if (isMetric) throw new QueryFaults('query', 'LOGQL').type(0, 'a log query is expected, not a metric query')
    return text
  }
}

/** Returns the time in nanoseconds since 1970 before which entries are read at `now`, in milliseconds. */
const endOf = (now: number): bigint => BigInt(now) * milli + 1n

/** The platform has checked the query: a member refuses constructs that it does not know, and reads beyond its limits. */
const refused = (client: MemberClient, status: number): Error =>
  status === 400
    ? limitExceeded('engine', 'the engine does not know the query, or does not read so much at one time')
    : refusedReading(client, status)

const isOfBytes = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'QUERY_LIMIT_EXCEEDED' && error.metadata['limit'] === 'bytes'

function marked(entry: ShownEntry): ReadEntry {
  const { labels, line, metadata } = entry
  const { time, traceId, spanId } = entry.entry
  const all = JSON.stringify([labelKey(labels), labelKey(metadata), String(time), traceId, spanId, line])
  const mark = createHash('sha256').update(all).digest('base64url').slice(0, markLength)
  return { entry, mark, time, bytes: Buffer.byteLength(all) }
}
