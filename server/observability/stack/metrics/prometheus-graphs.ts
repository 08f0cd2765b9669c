import type { ServiceGraph } from '../../../../output/observability/types.ts'
import type { VectorElement } from '../../../../domain/observability/metrics/metric-engine.ts'
import { limitExceeded, maxSeries } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import { graphQueries, isOwnEdge } from '../../../../domain/observability/stacks/graphs/graph-queries.ts'
import { graphOfMetrics } from '../../../../domain/observability/stacks/graphs/metric-graph.ts'
import type { LabelledWorkspace } from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import type { GraphQuery, ServiceGraphs } from '../../../../domain/observability/traces/trace-engine.ts'
import type { Clock } from '../../../../domain/ports/clock.ts'
import type { MemberClient } from '../member-client.ts'
import { refusedReading } from '../refused-query.ts'
import { PrometheusApi } from './prometheus-api.ts'
import { labelsOf, listOf, MalformedResult, numberOf, pointOf, recordOf } from './result-values.ts'

/**
 * The earliest start of a range, in milliseconds since 1970. Prometheus refuses ranges of centuries, and VictoriaMetrics
 * finds nothing in a range that starts in 1970.
 */
const firstMs = Date.UTC(2000, 0, 1)

/** The service graphs of workspaces in the metrics that a generator makes of spans. */
export class PrometheusGraphs implements ServiceGraphs {
  readonly #client: MemberClient
  readonly #api: PrometheusApi
  readonly #clock: Pick<Clock, 'now'>

  constructor(client: MemberClient, clock: Pick<Clock, 'now'>) {
    this.#client = client
    this.#api = new PrometheusApi(client)
    this.#clock = clock
  }

  async graph(workspace: string, query: GraphQuery, signal: AbortSignal): Promise<ServiceGraph> {
    const [start, end] = [Math.max(millis(query.start), firstMs), Math.min(millis(query.end), this.#clock.now())]
    if (end < start) return { nodes: [], edges: [] }
    const labelled = this.#client.member.hasTenants ? undefined : workspace
    const texts = graphQueries(Math.max(end - start, 1), labelled)
    const settled = new AbortController()
    const form = { time: String(end / 1000), timeout: String(query.timeoutMs / 1000) }
    const ask = async (text: string): Promise<readonly VectorElement[]> => {
      const { data, isPartial } = await this.#api.call({
        path: 'query',
        workspace,
        form: Object.entries({ query: text, ...form }),
        timeoutMs: query.timeoutMs,
        signal: AbortSignal.any([signal, settled.signal]),
        refused: refusedReading,
      })
      if (isPartial) throw this.#api.partial()
      return this.#api.read(() => elementsOf(data, labelled))
    }
    try {
      const asked = [ask(texts.calls), ask(texts.failed), ask(texts.client), ask(texts.server)] as const
      const [calls, failed, client, server] = await Promise.all(asked)
      return graphOfMetrics({ calls, failed, client, server }, query)
    } finally {
      settled.abort()
    }
  }
}

/** Returns milliseconds of microseconds, rounded down. */
const millis = (micros: number): number => Math.floor(micros / 1000)

/**
 * Returns the elements of a vector. Throws MalformedResult for another result and for series of another workspace, and
 * QUERY_LIMIT_EXCEEDED above 10,000 series.
 */
function elementsOf(data: unknown, workspace: LabelledWorkspace): readonly VectorElement[] {
  const { result, resultType } = recordOf(data)
  if (resultType !== 'vector') throw new MalformedResult()
  const list = listOf(result)
  if (list.length > maxSeries) throw limitExceeded('series', `an answer may have ${maxSeries} series; ask for less`)
  return list.flatMap(each => {
    const { histogram, metric, value } = recordOf(each)
    const labels = labelsOf(metric, undefined)
    if (!isOwnEdge(labels, workspace)) throw new MalformedResult()
    // A native histogram is no number of calls.
    return histogram === undefined ? [{ labels, value: numberOf(pointOf(value).value) }] : []
  })
}
