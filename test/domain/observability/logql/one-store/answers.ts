import { logAnswerText } from '../../../../../domain/observability/logql/answer-text.ts'
import type { EntrySource } from '../../../../../domain/observability/logql/entry-source.ts'
import { runLogQuery, type LogQuery, type LogQueryResult } from '../../../../../domain/observability/logql/run-query.ts'
import type { LogQueryResponse } from '../../../../../output/observability/types.ts'

/** A query of a test: the last of ten minutes, in one page. */
export type TestQuery = Partial<LogQuery> & Pick<LogQuery, 'query'>

/** The end of the range of a query of a test, if it gives none, in nanoseconds since 1970. */
export const end = 1_780_000_000_000_000_000n

/** Runs a query. */
export function resultOf(source: EntrySource, query: TestQuery): LogQueryResult {
  const range = { start: end - 600_000_000_000n, end, direction: 'BACKWARD', limit: 100, timeoutMs: 60_000 } as const
  return runLogQuery(source, { ...range, ...query }, () => false)
}

/** Runs a query, and returns its answer as a client reads it. */
export function answerOf(source: EntrySource, query: TestQuery): LogQueryResponse {
  const { result, cost } = resultOf(source, query)
  return JSON.parse(logAnswerText(result, cost, '')) as LogQueryResponse
}

/** Returns the lines of the answer to a log query, stream by stream. */
export const linesOf = (source: EntrySource, query: string): readonly string[] =>
  answerOf(source, { query }).streams.flatMap(({ entries }) => entries.map(({ line }) => line))

/** Returns the values of a metric query at the end of its range, by the JSON of their labels. */
export function vectorOf(source: EntrySource, query: string): Readonly<Record<string, string>> {
  const elements = answerOf(source, { query }).vector.map(
    ({ metric, value }) => [JSON.stringify(metric), value] as const,
  )
  return Object.fromEntries(elements)
}

/** Returns the times and lines of a log query, page by page. */
export function pagesOf(source: EntrySource, query: TestQuery, limit: number): readonly string[] {
  const entries: string[] = []
  let after: LogQueryResult['next']
  do {
    const { result, next } = resultOf(source, { ...query, limit, ...(after !== undefined && { after }) })
    const streams = JSON.parse(result.text) as LogQueryResponse['streams']
    const page = streams.flatMap(stream => stream.entries.map(({ time, line }) => `${time} ${line}`))
    entries.push(...page.sort())
    after = next
  } while (after !== undefined)
  return entries.sort()
}
