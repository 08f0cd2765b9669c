import type { LabelSet, LogStream } from '../../../../output/observability/types.ts'
import { streamId } from '../../../../domain/observability/logs/stream-id.ts'
import type { LogStreams, StreamTimes } from '../../../../domain/observability/logs/log-streams.ts'
import { timeText } from '../../../../domain/observability/logql/nano-time.ts'
import { labelKey } from '../../../../domain/observability/metrics/label-key.ts'
import { limitExceeded, maxSeries } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import { selectorText, workspaceLabel } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import type { MemberClient } from '../member-client.ts'
import { metricResult } from '../metrics/metric-answer.ts'
import { labelsOf, listOf, MalformedResult, numberOf } from '../metrics/result-values.ts'
import { lateQuery, refusedReading } from '../refused-query.ts'
import { coveringSelectors } from './covering-selectors.ts'
import type { LokiApi } from './loki-api.ts'

/** The nanoseconds of a millisecond, and those before the end of a list that names no start: six hours, as in Loki. */
const [milli, defaultNanos] = [1_000_000n, 21_600_000_000_000n] as const

/** The longest time of a list, in milliseconds. */
const timeoutMs = 30_000

/** The last millisecond of the year 9999. */
const maxMs = 253_402_300_799_999

/** The label that holds the time of an entry in milliseconds while a query runs. */
const timeLabel = 'ninefold_entry_ms'

/** What is asked about the entries of streams: the queries of a selector, a range in brackets, and the names of labels. */
const sums = {
  entries: (selector: string, range: string, names: string) =>
    `sum by (${names}) (count_over_time(${selector}${range}))`,
  bytes: (selector: string, range: string, names: string) => `sum by (${names}) (bytes_over_time(${selector}${range}))`,
  first: (selector: string, range: string, names: string) => `min_over_time(${timed(selector)}${range}) by (${names})`,
  last: (selector: string, range: string, names: string) => `max_over_time(${timed(selector)}${range}) by (${names})`,
} as const

type Sum = keyof typeof sums

const timed = (selector: string): string =>
  `${selector} | label_format ${timeLabel}="{{__timestamp__ | unixEpochMillis}}" | unwrap ${timeLabel} `

/** The entries that a list looks at: from one time in nanoseconds since 1970 on, and before another one. */
interface Range {
  readonly from: bigint
  readonly before: bigint
}

/** A list of the streams of a workspace. */
interface Listing extends Range {
  readonly workspace: string
  readonly signal: AbortSignal
}

/** The streams of workspaces in a store that serves the HTTP API of Loki, in the limits that Loki has for one query. */
export class LokiStreams implements LogStreams {
  readonly #api: LokiApi

  constructor(api: LokiApi) {
    this.#api = api
  }

  /** The sums are those of the entries between the times; the first and the last time of a stream have milliseconds. */
  async streams(workspace: string, times: StreamTimes, signal: AbortSignal): Promise<readonly LogStream[]> {
    const late = AbortSignal.timeout(timeoutMs)
    try {
      return await this.#streams({ workspace, ...rangeOf(times), signal: AbortSignal.any([signal, late]) })
    } catch (error) {
      throw late.aborted && !signal.aborted ? lateQuery() : error
    }
  }

  async #streams(listing: Listing): Promise<readonly LogStream[]> {
    const known = listing.from < listing.before ? await this.#labelSets(listing) : []
    if (known.length > maxSeries) throw limitExceeded('series', `a list may have ${maxSeries} streams`)
    const labelled = this.#api.labelled(listing.workspace)
    const own = labelled === undefined ? [] : [workspaceLabel]
    const names = [...new Set([...own, ...known.flatMap(labels => Object.keys(labels))])].join(', ')
    const found = new Map<string, Map<Sum, number>>()
    for (const selector of known.length === 0 ? [] : coveringSelectors(known, labelled)) {
      const asked = Object.entries(sums).map(async ([sum, queryOf]) => {
        const query = queryOf(selector, `[${durationText(listing)}]`, names)
        for (const [key, value] of await this.#values(listing, query)) {
          const values = found.get(key) ?? new Map<Sum, number>()
          found.set(key, values.set(sum as Sum, value))
        }
      })
      await Promise.all(asked)
    }
    return known.flatMap(labels => streamOf(labels, found.get(labelKey(labels))) ?? [])
  }

  /** Returns the labels of the streams that may have an entry in a range, in their order. */
  async #labelSets({ before, from, signal, workspace }: Listing): Promise<readonly LabelSet[]> {
    const labelled = this.#api.labelled(workspace)
    const form = [
      // Without a selector, Loki answers all streams of a tenant.
      ...(labelled === undefined ? [] : [['match[]', selectorText([], labelled)] as const]),
      ['start', String(from)] as const,
      ['end', String(before)] as const,
    ]
    const call = { workspace, path: 'series', form, timeoutMs, signal, refused: refusedReading }
    const sets = await this.#api.call(call, data => listOf(data).map(labels => labelsOf(labels, labelled)))
    const byKey = new Map(sets.map(labels => [labelKey(labels), labels]))
    return [...byKey].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, labels]) => labels)
  }

  /** Returns the values of a query at the end of a range, by the keys of their labels. */
  async #values({ before, signal, workspace }: Listing, query: string): Promise<(readonly [string, number])[]> {
    // A range of Loki has its last time and not its first one.
    const form = Object.entries({ query, time: String(before - 1n) })
    const call = { workspace, path: 'query', form, timeoutMs, signal, refused: refusedSums }
    return this.#api.call(call, data => {
      const { result_type, vector } = metricResult(data, this.#api.labelled(workspace))
      if (result_type !== 'OBSERVABILITY_RESULT_TYPE_VECTOR') throw new MalformedResult()
      return vector.map(({ metric, value }) => [labelKey(metric), wholeNumber(value)] as const)
    })
  }
}

const rangeOf = ({ before, from, now }: StreamTimes): Range => {
  const end = before ?? BigInt(now) * milli + 1n
  return { from: from ?? end - defaultNanos, before: end }
}

/** Returns the duration of a range as LogQL has it. */
const durationText = ({ before, from }: Range): string => {
  const nanos = before - from
  return nanos % milli === 0n ? `${nanos / milli}ms` : `${nanos}ns`
}

/** The queries are well-formed, so the member refuses their size with status 400 too. */
const refusedSums = (client: MemberClient, status: number): Error =>
  refusedReading(client, status === 400 ? 422 : status)

function wholeNumber(text: string): number {
  const value = Math.round(numberOf(text))
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new MalformedResult()
}

/** Returns a stream with its sums; undefined for a stream without entries in the range. */
function streamOf(labels: LabelSet, values: ReadonlyMap<Sum, number> | undefined): LogStream | undefined {
  const [entries, bytes, first, last] = (['entries', 'bytes', 'first', 'last'] as const).map(sum => values?.get(sum))
  if (entries === undefined || bytes === undefined || first === undefined || last === undefined) return undefined
  return {
    id: streamId(labels),
    labels,
    first_time: timeOf(first),
    last_time: timeOf(last),
    entry_count: entries,
    bytes,
  }
}

const timeOf = (ms: number): string => timeText(BigInt(Math.min(ms, maxMs)) * milli)
