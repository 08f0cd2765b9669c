import type { LabelSet, LogStream } from '../../../../output/observability/types.ts'
import { streamId } from '../../../../domain/observability/logs/stream-id.ts'
import type { LogStreams, StreamTimes } from '../../../../domain/observability/logs/log-streams.ts'
import { timeText } from '../../../../domain/observability/logql/nano-time.ts'
import { labelKey } from '../../../../domain/observability/metrics/label-key.ts'
import { limitExceeded, maxSeries } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import {
  selectorText,
  workspaceLabel,
  type LabelledWorkspace,
  type WrittenMatcher,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import type { MemberClient } from '../member-client.ts'
import { metricResult } from '../metrics/metric-answer.ts'
import { labelsOf, listOf, MalformedResult, numberOf, recordOf } from '../metrics/result-values.ts'
import { lateQuery, refusedReading } from '../refused-query.ts'
import type { LokiApi } from './loki-api.ts'

/** The nanoseconds of a millisecond, and those before the end of a list that names no start: six hours, as in Loki. */
const [milli, defaultNanos] = [1_000_000n, 21_600_000_000_000n] as const

/** The longest time of a list, in milliseconds. */
const timeoutMs = 30_000

/** The last millisecond of the year 9999. */
const maxMs = 253_402_300_799_999

/** The label that holds the time of an entry in milliseconds while a query runs, if no stream has such a label. */
const timeLabel = 'ninefold_entry_ms'

/** The largest number of different sets of names of labels: each takes queries of its own. */
const maxNameSets = 16

/** What a query asks about the entries of streams. */
interface SumQuery {
  readonly selector: string
  /** The range in brackets. */
  readonly range: string
  /** The names of the labels of the streams. */
  readonly names: string
  /** A name that none of the labels has. */
  readonly freeName: string
}

const sums = {
  entries: ({ names, range, selector }: SumQuery) => `sum by (${names}) (count_over_time(${selector}${range}))`,
  bytes: ({ names, range, selector }: SumQuery) => `sum by (${names}) (bytes_over_time(${selector}${range}))`,
  first: (query: SumQuery) => `min_over_time(${timed(query)}${query.range}) by (${query.names})`,
  last: (query: SumQuery) => `max_over_time(${timed(query)}${query.range}) by (${query.names})`,
} as const

type Sum = keyof typeof sums

const timed = ({ freeName, selector }: SumQuery): string =>
  `${selector} | label_format ${freeName}="{{__timestamp__ | unixEpochMillis}}" | unwrap ${freeName} `

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
    const allNames = [...new Set(known.flatMap(labels => Object.keys(labels)))]
    const nameSets = new Map(known.map(labels => [Object.keys(labels).toSorted().join(' '), Object.keys(labels)]))
    if (nameSets.size > maxNameSets)
      throw limitExceeded('series', `a list may have streams with ${maxNameSets} different sets of labels`)
    const range = `[${durationText(listing)}]`
    const freeName = freeNameOf(allNames)
    const found = new Map<string, Map<Sum, number>>()
    for (const names of nameSets.values()) {
      const selector = selectorText(matchersOf(names, allNames), this.#api.labelled(listing.workspace))
      const query = { selector, range, names: names.join(', '), freeName }
      const asked = Object.entries(sums).map(async ([sum, textOf]) => {
        for (const [key, value] of await this.#values(listing, textOf(query))) {
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
    const call = { workspace, path: 'series', form, timeoutMs, signal, refused: refusedSums }
    const sets = await this.#api.call(call, data => listOf(data).map(labels => ownLabels(labels, labelled)))
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

/** Returns the labels of a stream of the workspace. Throws MalformedResult for others, and for names that LogQL cannot write. */
function ownLabels(value: unknown, workspace: LabelledWorkspace): LabelSet {
  const labels = labelsOf(value, workspace)
  const isOwn = workspace === undefined || recordOf(value)[workspaceLabel] === workspace
  if (isOwn && Object.keys(labels).every(name => /^[A-Za-z_]\w*$/.test(name))) return labels
  throw new MalformedResult()
}

/**
 * Returns the matchers of the streams that have the given labels and no others: names that a stream does not have may be
 * those of structured metadata of its entries, by which sums must not be divided.
 */
const matchersOf = (names: readonly string[], allNames: readonly string[]): readonly WrittenMatcher[] =>
  allNames.map(name =>
    names.includes(name) ? { name, operator: '=~', value: '.+' } : { name, operator: '=', value: '' },
  )

/** Returns a name that none of the given ones is. */
function freeNameOf(names: readonly string[]): string {
  let name = timeLabel
  while (names.includes(name)) name += '_'
  return name
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

/** The requests are well-formed, so a member refuses their size with status 400 too, such as a range above its longest. */
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
