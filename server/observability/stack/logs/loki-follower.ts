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
import { QueryFaults } from '../../../../domain/observability/promql/language/faults.ts'
import { logqlText } from '../../../../domain/observability/stacks/queries/logql-text.ts'
import { recordOf } from '../metrics/result-values.ts'
import { refusedSearch } from '../refused-query.ts'
import type { LokiApi } from './loki-api.ts'
import { entriesOf } from './loki-entries.ts'
import { latenessNanos, markLength, nextWindow, positionOf, windowOf, type MarkedEntry } from './tail-window.ts'

/** The nanoseconds of a millisecond, an hour and a day. */
const [milli, hour, day] = [1_000_000n, 3_600_000_000_000n, 86_400_000_000_000n] as const

/** The entries that a tail remembers at its beginning. */
const rememberedAtBegin = 1_000

/** The longest time of a read, in milliseconds. */
const timeoutMs = 10_000

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

/**
 * Follows the logs in a store that serves the HTTP API of Loki, which has no order in which entries came in: a read looks
 * again at the last minute of times, and leaves out the entries that were shown.
 */
export class LokiFollower implements LogFollower {
  readonly pauseMs = 500
  readonly #api: LokiApi

  constructor(api: LokiApi) {
    this.#api = api
  }

  admit(workspace: string, query: string): void {
    this.#text(workspace, query)
  }

  /** Entries that have a time before `since` are not shown, because Loki does not know when an entry came in. */
  async begin(workspace: string, { now, query, since }: FollowedBegin, signal: AbortSignal): Promise<FollowedPosition> {
    if (since !== undefined) return positionOf({ from: BigInt(since) * milli, shown: new Set() })
    const present = BigInt(now) * milli
    const from = present - latenessNanos
    const range = { start: from, end: present + hour, direction: 'backward', limit: rememberedAtBegin } as const
    const shown = await this.#entries(workspace, query, range, signal)
    return positionOf(nextWindow({ from, shown: new Set() }, { shown, later: [], until: present }, present))
  }

  knows(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async read(workspace: string, read: FollowedRead, signal: AbortSignal): Promise<FollowedPage> {
    const { after, limit, now, query } = read
    const window = windowOf(after)
    const present = BigInt(now) * milli
    const ends = [window.from + day, present + hour] as const
    const end = ends[0] < ends[1] ? ends[0] : ends[1]
    if (end <= window.from) return { entries: [], position: after, skipped: 0, hasMore: false }
    const asked = window.shown.size + limit
    const range = { start: window.from, end, direction: 'forward', limit: asked } as const
    const found = await this.#entries(workspace, query, range, signal)
    const isCut = found.length >= asked
    const fresh = found.filter(({ mark }) => !window.shown.has(mark))
    const page = fresh.slice(0, limit)
    const last = fresh.length > limit ? page.at(-1) : isCut ? found.at(-1) : undefined
    const until = last?.time ?? end
    const shown = [...found.filter(({ mark }) => window.shown.has(mark)), ...page]
    const seen = { shown, later: isCut ? without(window.shown, found) : [], until }
    const next = nextWindow(window, seen, present)
    return {
      entries: page.map(({ entry }) => tailEntry(entry)),
      position: positionOf(next),
      skipped: 0,
      hasMore: until < present && next.from > window.from,
    }
  }

  newEntries(): Promise<void> {
    return Promise.resolve()
  }

  /** Returns the entries of a range in the order of their times. */
  async #entries(workspace: string, query: string, range: ReadRange, signal: AbortSignal): Promise<ReadEntry[]> {
    const { direction, end, limit, start } = range
    const form = Object.entries({
      query: this.#text(workspace, query),
      start: String(start),
      end: String(end),
      limit: String(limit),
      direction,
    })
    const call = { workspace, path: 'query_range', form, timeoutMs, signal, refused: refusedSearch }
    const entries = await this.#api.call(call, data => entriesOf(recordOf(data), this.#api.labelled(workspace)))
    return entries.map(read => marked(read)).toSorted((one, other) => Number(one.time - other.time))
  }

  /** Returns the text of a log query. Throws QUERY_TYPE_INVALID for a metric query. */
  #text(workspace: string, query: string): string {
    const { isMetric, text } = logqlText(query, this.#api.labelled(workspace))
    if (isMetric) throw new QueryFaults('query', 'LOGQL').type(0, 'a log query is expected, not a metric query')
    return text
  }
}

/** Returns the marks of the entries that a read has not answered. */
function without(marks: ReadonlySet<string>, found: readonly ReadEntry[]): readonly string[] {
  const answered = new Set(found.map(({ mark }) => mark))
  return [...marks].filter(mark => !answered.has(mark))
}

function marked(entry: ShownEntry): ReadEntry {
  const { labels, line, metadata } = entry
  const { time, traceId, spanId } = entry.entry
  const all = JSON.stringify([labelKey(labels), labelKey(metadata), String(time), traceId, spanId, line])
  const mark = createHash('sha256').update(all).digest('base64url').slice(0, markLength)
  return { entry, mark, time, bytes: Buffer.byteLength(line) }
}
