import type { AlertVector } from '../../../../domain/observability/metrics/metric-engine.ts'
import type { LogReader } from '../../../../domain/observability/logs/log-reader.ts'
import type { LogQuery, LogQueryResult } from '../../../../domain/observability/logql/run-query.ts'
import type { LogResultText } from '../../../../domain/observability/logql/answer-text.ts'
import { limitExceeded, maxSeries } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import { logqlText } from '../../../../domain/observability/stacks/queries/logql-text.ts'
import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { isRecord } from '../../../../runtime/validation.ts'
import { metricResult } from '../metrics/metric-answer.ts'
import { MalformedResult, numberOf, recordOf } from '../metrics/result-values.ts'
import { incomplete } from '../doubts.ts'
import type { LokiApi } from './loki-api.ts'
import { entriesOf, pageOf } from './loki-entries.ts'

/** The longest time of the query of an alert rule, in milliseconds. */
const alertMs = 30_000

/** The logs of workspaces in a store that serves the HTTP API of Loki. */
export class LokiLogs implements LogReader {
  readonly #api: LokiApi

  constructor(api: LokiApi) {
    this.#api = api
  }

  async query(workspace: string, query: LogQuery, signal: AbortSignal): Promise<LogQueryResult> {
    const begun = performance.now()
    const labelled = this.#api.labelled(workspace)
    const { isMetric, text } = logqlText(query.query, labelled)
    const { form, path, skip } = isMetric ? metricForm(text, query) : entryForm(text, query)
    const call = { workspace, path, form: Object.entries(form), timeoutMs: query.timeoutMs, signal }
    return this.#api.doubtful(call, (data, isPartial) => {
      const answer = recordOf(data)
      const { bytes, lines } = scanned(answer)
      const cost = { bytesScanned: bytes, entriesScanned: lines, durationMs: performance.now() - begun }
      const warnings = isPartial ? [incomplete] : []
      if (isMetric) return { result: metricText(answer, labelled), cost, warnings }
      return { ...pageOf(entriesOf(answer, labelled), query, skip), cost, warnings }
    })
  }

  async alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector> {
    const labelled = this.#api.labelled(workspace)
    const { text } = logqlText(query, labelled)
    const form = Object.entries({ query: text, time: String(BigInt(time) * 1_000_000n) })
    return this.#api.call({ workspace, path: 'query', form, timeoutMs: alertMs, signal }, data => {
      const answer = recordOf(data)
      const { result_type, vector } = metricResult(answer, labelled)
      if (result_type !== 'OBSERVABILITY_RESULT_TYPE_VECTOR') throw new MalformedResult()
      const elements = vector.map(({ metric, value }) => ({ labels: metric, value: numberOf(value) }))
      return { elements, hasData: elements.length > 0 || scanned(answer).lines > 0 }
    })
  }

  admit(workspace: string, query: string): void {
    logqlText(query, this.#api.labelled(workspace))
  }
}

/** A query in the form of the API. */
interface QueryForm {
  readonly path: string
  readonly form: Record<string, string>
  /** The entries at the beginning of the answer that the page before has shown. */
  readonly skip: number
}

function metricForm(text: string, { end, start, stepMs }: LogQuery): QueryForm {
  if (stepMs === undefined) return { path: 'query', form: { query: text, time: String(end) }, skip: 0 }
  const times = { start: String(start), end: String(end), step: String(stepMs / 1000) }
  return { path: 'query_range', form: { query: text, ...times }, skip: 0 }
}

/** Asks again for the entries at the time of the last entry of the page before, because Loki has no order of them. */
function entryForm(text: string, { after, direction, end, limit, start }: LogQuery): QueryForm {
  const isForward = direction === 'FORWARD'
  const skip = after?.number ?? 0
  const from = after && isForward ? after.time : start
  const before = after && !isForward ? after.time + 1n : end
  const form = {
    query: text,
    start: String(from),
    end: String(before),
    limit: String(limit + skip),
    direction: direction.toLowerCase(),
  }
  return { path: 'query_range', form, skip }
}

function metricText(data: unknown, labelled: LabelledWorkspace): LogResultText {
  const { matrix, result_type, scalar, vector } = metricResult(data, labelled)
  // Loki answers a query without streams, such as `1 + 1`, with a scalar.
  if (scalar !== undefined) return { type: 'VECTOR', text: JSON.stringify([{ metric: {}, ...scalar }]) }
  if (Math.max(matrix.length, vector.length) > maxSeries)
    throw limitExceeded('series', `an answer may have ${maxSeries} series`)
  if (result_type === 'OBSERVABILITY_RESULT_TYPE_MATRIX') return { type: 'MATRIX', text: JSON.stringify(matrix) }
  if (result_type === 'OBSERVABILITY_RESULT_TYPE_VECTOR') return { type: 'VECTOR', text: JSON.stringify(vector) }
  throw new MalformedResult()
}

/** Returns what Loki says that it has read; 0 if it does not say so. */
function scanned({ stats }: Readonly<Record<string, unknown>>): { readonly bytes: number; readonly lines: number } {
  const summary = isRecord(stats) && isRecord(stats['summary']) ? stats['summary'] : {}
  const count = (name: string): number => {
    const value = summary[name]
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
  }
  return { bytes: count('totalBytesProcessed'), lines: count('totalLinesProcessed') }
}
