import { runLogQuery, type LogQuery } from '../../../../domain/observability/logql/run-query.ts'
import { nanosecondsOfTime } from '../../../../domain/observability/logql/nano-time.ts'
import { parseLogQuery } from '../../../../domain/observability/logql/language/parse.ts'
import type { Labels } from '../../../../domain/observability/metrics/samples.ts'
import { entryOf, MemoryEntries } from '../../../domain/observability/logql/one-store/memory-entries.ts'
import type { ApiAnswer, ApiRequest } from './api-member.ts'

/** The label of structured metadata that has the time of an entry, in place of the stage that makes such a label. */
const timeLabel = 'entry_ms_of_the_store'
const timeStage = /\| label_format ninefold_entry_ms_*="\{\{__timestamp__ \| unixEpochMillis\}\}" /

/** A stream, whose entries are sorted once they are read. */
interface StoredStream {
  readonly labels: Labels
  readonly entries: ReturnType<typeof entryOf>[]
  readonly keys: Set<string>
}

/** A store of logs in memory that answers as the documentation of the HTTP API of Loki says. */
export class LokiStore {
  readonly #streams = new Map<string, StoredStream>()

  /** Adds an entry; an entry that is there with the same labels, time and line is no second one. */
  add(labels: Labels, time: bigint, line: string, more: Labels = {}): void {
    const key = JSON.stringify(Object.entries(labels).toSorted())
    const stream = this.#streams.get(key) ?? { labels, entries: [], keys: new Set() }
    this.#streams.set(key, stream)
    if (stream.keys.has(`${time} ${line}`)) return
    stream.keys.add(`${time} ${line}`)
    // The store gives the entries the label of the queries that ask for times.
    const metadata = { ...more, [timeLabel]: String(time / 1_000_000n) }
    stream.entries.push(entryOf(time, stream.entries.length, line, { metadata }))
  }

  /** Answers a request. */
  serve({ parameters, path }: Pick<ApiRequest, 'parameters' | 'path'>): ApiAnswer {
    switch (path) {
      case '/loki/api/v1/series':
        return success(this.#series(parameters))
      case '/loki/api/v1/query':
        return success(this.#vector(parameters))
      case '/loki/api/v1/query_range':
        return success(this.#entries(parameters))
      default:
        return { status: 404, body: '404 page not found' }
    }
  }

  #source(): MemoryEntries {
    for (const { entries } of this.#streams.values())
      entries.sort((one, other) => Number(one.time - other.time) || one.number - other.number)
    return new MemoryEntries([...this.#streams.values()], { partSize: 1_000 })
  }

  #series(parameters: URLSearchParams): unknown {
    const [start, end] = rangeOf(parameters)
    const selector = parameters.get('match[]')
    const matchers = selector === null ? [] : parseLogQuery(selector).matchers
    return [...this.#streams.values()]
      .filter(({ entries }) => entries.some(({ time }) => time >= start && time < end))
      .map(({ labels }) => labels)
      .filter(labels => matchers.every(({ name, test }) => test(labels[name] ?? '')))
  }

  #vector(parameters: URLSearchParams): unknown {
    const time = BigInt(parameters.get('time') ?? 0)
    const query = (parameters.get('query') ?? '')
      .replace(timeStage, ' ')
      .replaceAll(/unwrap ninefold_entry_ms_*/g, `unwrap ${timeLabel}`)
    const { result } = runLogQuery(this.#source(), { ...anyRange, query, end: time }, () => false)
    const elements: { metric: object; value: string }[] = JSON.parse(result.text)
    const seconds = Number(time / 1_000_000_000n)
    return { resultType: 'vector', result: elements.map(({ metric, value }) => ({ metric, value: [seconds, value] })) }
  }

  #entries(parameters: URLSearchParams): unknown {
    const [start, end] = rangeOf(parameters)
    const direction = parameters.get('direction') === 'forward' ? 'FORWARD' : 'BACKWARD'
    const asked = { ...anyRange, query: parameters.get('query') ?? '', start, end, direction } as const
    const limit = Number(parameters.get('limit') ?? 100)
    const { result } = runLogQuery(this.#source(), { ...asked, limit }, () => false)
    const streams: { labels: object; entries: { time: string; line: string; metadata: object }[] }[] = JSON.parse(
      result.text,
    )
    return {
      resultType: 'streams',
      encodingFlags: ['categorize-labels'],
      result: streams.map(({ entries, labels }) => ({
        stream: withoutTime(labels),
        values: entries.map(({ line, metadata, time }) => [
          String(nanosecondsOfTime(time)),
          line,
          { structuredMetadata: withoutTime(metadata) },
        ]),
      })),
      stats: {},
    }
  }
}

const withoutTime = (labels: object) =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== timeLabel))

const anyRange: LogQuery = { query: '', start: 0n, end: 0n, direction: 'FORWARD', limit: 5_000, timeoutMs: 60_000 }

const rangeOf = (parameters: URLSearchParams): readonly [bigint, bigint] => [
  BigInt(parameters.get('start') ?? 0),
  BigInt(parameters.get('end') ?? 0),
]

const success = (data: unknown): ApiAnswer => ({ body: { status: 'success', data } })
