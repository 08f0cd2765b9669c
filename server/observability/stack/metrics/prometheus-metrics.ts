import type {
  LabelSet,
  MetricDescriptor,
  MetricLabel,
  MetricQueryResponse,
} from '../../../../output/observability/types.ts'
import type {
  AlertVector,
  InstantQuery,
  MetricReader,
  MetricSelection,
  RangeQuery,
} from '../../../../domain/observability/metrics/metric-engine.ts'
import { limitExceeded, maxSeries } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import { QueryFaults } from '../../../../domain/observability/promql/language/faults.ts'
import { presenceQuery } from '../../../../domain/observability/stacks/queries/presence-query.ts'
import { promqlSelectorText, promqlText } from '../../../../domain/observability/stacks/queries/promql-text.ts'
import {
  selectorText,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { JsonText } from '../../../../runtime/json.ts'
import type { MemberClient } from '../member-client.ts'
import { incomplete } from '../doubts.ts'
import { metricResult, type MetricResult } from './metric-answer.ts'
import { PrometheusApi, type PrometheusWarnings } from './prometheus-api.ts'
import { refusedReading, refusedSearch } from '../refused-query.ts'
import { descriptorsOf, labelsIn, metadataOf } from './series-lists.ts'
import { labelsOf, listOf, numberOf } from './result-values.ts'

/** The longest time of calls without a time of their own, in milliseconds. */
const defaultMs = 30_000

/** The warning for the warnings of a store about the query. */
const aboutQuery = 'the engine has a warning about the query; the result may differ from what the query asks for'

/** A result, and what the store warns about. */
type WarnedResult = MetricResult & PrometheusWarnings

/** The metrics of workspaces in a store that serves the HTTP API of Prometheus. */
export class PrometheusMetrics implements MetricReader {
  readonly #api: PrometheusApi
  readonly #hasTenants: boolean

  constructor(client: MemberClient) {
    this.#api = new PrometheusApi(client)
    this.#hasTenants = client.member.hasTenants
  }

  async query(workspace: string, { limit, query, time, timeoutMs }: InstantQuery, signal: AbortSignal) {
    const begun = performance.now()
    const text = promqlText(query, this.#labelled(workspace))
    const result = await this.#result(workspace, 'query', { query: text, time: seconds(time) }, timeoutMs, signal)
    return answer(result, limit, begun)
  }

  async queryRange(workspace: string, { end, query, start, step, timeoutMs }: RangeQuery, signal: AbortSignal) {
    const begun = performance.now()
    const text = promqlText(query, this.#labelled(workspace))
    const times = { start: seconds(start), end: seconds(end), step: seconds(step) }
    const result = await this.#result(workspace, 'query_range', { query: text, ...times }, timeoutMs, signal)
    if (result.result_type !== 'OBSERVABILITY_RESULT_TYPE_MATRIX') throw this.#api.malformed()
    return answer(result, maxSeries, begun)
  }

  async alertVector(workspace: string, query: string, time: number, signal: AbortSignal): Promise<AlertVector> {
    const ask = async (text: string) => {
      const result = await this.#result(workspace, 'query', { query: text, time: seconds(time) }, defaultMs, signal)
      if (result.isPartial) throw this.#api.partial()
      if (result.result_type === 'OBSERVABILITY_RESULT_TYPE_VECTOR') return result.vector
      throw new QueryFaults('query').type(0, 'an alert rule takes an instant vector')
    }
    const vector = await ask(promqlText(query, this.#labelled(workspace)))
    const elements = vector.map(({ metric, value }) => ({ labels: metric, value: numberOf(value) }))
    if (elements.length > 0) return { elements, hasData: true }
    const presence = presenceQuery(query, this.#labelled(workspace))
    return { elements, hasData: presence !== undefined && (await ask(presence)).length > 0 }
  }

  admit(workspace: string, query: string): void {
    promqlText(query, this.#labelled(workspace))
  }

  async descriptors(workspace: string, signal: AbortSignal): Promise<readonly MetricDescriptor[]> {
    const begun = performance.now()
    const series = await this.#series(workspace, { match: [] }, signal)
    const leftMs = Math.max(1, Math.round(defaultMs - (performance.now() - begun)))
    return descriptorsOf(series, await this.#metadata(workspace, leftMs, signal))
  }

  async labels(workspace: string, selection: MetricSelection, signal: AbortSignal): Promise<readonly MetricLabel[]> {
    return labelsIn(await this.#series(workspace, selection, signal), selection.label)
  }

  #labelled(workspace: string): LabelledWorkspace {
    return this.#hasTenants ? undefined : workspace
  }

  async #result(
    workspace: string,
    path: 'query' | 'query_range',
    parameters: Readonly<Record<string, string>>,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<WarnedResult> {
    const form = Object.entries({ ...parameters, timeout: seconds(timeoutMs) })
    const { data, ...warnings } = await this.#api.call({ path, workspace, form, timeoutMs, signal })
    return { ...this.#api.read(() => metricResult(data, this.#labelled(workspace))), ...warnings }
  }

  /** Returns the labels of the series that a selection has. */
  async #series(
    workspace: string,
    { end, match, start = 0 }: MetricSelection,
    signal: AbortSignal,
  ): Promise<readonly LabelSet[]> {
    const labelled = this.#labelled(workspace)
    const all = selectorText([{ name: '__name__', operator: '!=', value: '' }], labelled)
    const selectors = match.length === 0 ? [all] : match.map(text => promqlSelectorText(text, labelled, 'match'))
    const form = [
      ...selectors.map(text => ['match[]', text] as const),
      ['start', seconds(start)] as const,
      ...(end === undefined ? [] : [['end', seconds(end)] as const]),
    ]
    const refused = match.length === 0 ? refusedReading : refusedSearch
    const { data } = await this.#api.call({ path: 'series', workspace, form, timeoutMs: defaultMs, refused, signal })
    return this.#api.read(() => listOf(data).map(labels => labelsOf(labels, labelled)))
  }

  /** Returns what senders say of metrics; nothing of a store without tenants, which mixes what all workspaces say. */
  async #metadata(workspace: string, timeoutMs: number, signal: AbortSignal) {
    if (!this.#hasTenants) return new Map<string, never>()
    const asked = { path: 'metadata', workspace, method: 'GET', form: [], timeoutMs, signal } as const
    const { data } = await this.#api.call({ ...asked, refused: refusedReading })
    return this.#api.read(() => metadataOf(data))
  }
}

const seconds = (ms: number): string => String(ms / 1000)

/**
 * Returns the text of an answer with the first `limit` series of a result. What the store has read is unknown, so the
 * counts are those of the answer. Throws QUERY_LIMIT_EXCEEDED above 10,000 series.
 */
function answer(
  { isAboutQuery, isPartial, ...result }: WarnedResult,
  limit: number,
  begun: number,
): JsonText<MetricQueryResponse> {
  const count = Math.max(result.matrix.length, result.vector.length)
  if (count > maxSeries) throw limitExceeded('series', `an answer may have ${maxSeries} series`)
  const [matrix, vector] = [result.matrix.slice(0, limit), result.vector.slice(0, limit)]
  const samples = matrix.reduce((sum, { points }) => sum + points.length, vector.length)
  const whole: MetricQueryResponse = {
    ...result,
    matrix,
    vector,
    warnings: [
      ...(isPartial ? [incomplete] : []),
      ...(isAboutQuery ? [aboutQuery] : []),
      ...(count > limit ? [`the result has ${count} series, of which the first ${limit} are answered`] : []),
    ],
    stats: { series: Math.min(count, limit), samples, duration_ms: Math.round(performance.now() - begun) },
  }
  return new JsonText(JSON.stringify(whole))
}
