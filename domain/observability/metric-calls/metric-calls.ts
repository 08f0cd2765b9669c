import type { MetricsHandlers } from '../../../output/observability/handlers.ts'
import type { ParsedQueryMetricsRangeRequest, ParsedQueryMetricsRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { listInMemory } from '../../../runtime/pagination.ts'
import { durationMs } from '../../resources/durations.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { maxSeries } from '../promql/evaluation/query-budget.ts'
import { metricsOf } from '../stacks/stack.ts'
import { rangeOf, requireFewSteps } from './query-form.ts'

/**
 * Returns the handlers of metrics. They are served in workspaces of any state (observability.md 4.12), and end when the
 * caller leaves.
 */
export function metrics(environment: ObservabilityEnvironment): MetricsHandlers {
  const { store, taxonomy } = environment
  return {
    queryMetrics: (request, context) => queryMetrics(environment, request, context),
    queryMetricsRange: (request, context) => queryMetricsRange(environment, request, context),
    async listMetricDescriptors({ engine, workspace }, { query, signal }) {
      await requireWorkspace(store, taxonomy, workspace)
      return listInMemory(await metricsOf(environment, engine).descriptors(workspace, signal), query)
    },
    async listMetricLabels({ engine, label, match = [], workspace, ...times }, { query, signal }) {
      const range = rangeOf(times)
      await requireWorkspace(store, taxonomy, workspace)
      const selection = { match, ...range, ...(label !== undefined && { label }) }
      const labels = await metricsOf(environment, engine).labels(workspace, selection, signal)
      return listInMemory(labels, query)
    },
  }
}

async function queryMetrics(
  environment: ObservabilityEnvironment,
  { body, engine, workspace }: ParsedQueryMetricsRequest,
  { now, signal }: CallContext,
) {
  const { queries, store, taxonomy } = environment
  const { limit = maxSeries, query, time, timeout } = body
  await requireWorkspace(store, taxonomy, workspace)
  const asked = { query, limit, time: time === undefined ? now : Date.parse(time), timeoutMs: durationMs(timeout) }
  return queries.run(store, workspace, () => metricsOf(environment, engine).query(workspace, asked, signal))
}

async function queryMetricsRange(
  environment: ObservabilityEnvironment,
  { body, engine, workspace }: ParsedQueryMetricsRangeRequest,
  { signal }: CallContext,
) {
  const { queries, store, taxonomy } = environment
  const { query, timeout } = body
  const { start = 0, end = 0 } = rangeOf(body)
  const step = durationMs(body.step)
  requireFewSteps(start, end, step)
  await requireWorkspace(store, taxonomy, workspace)
  const asked = { query, start, end, step, timeoutMs: durationMs(timeout) }
  return queries.run(store, workspace, () => metricsOf(environment, engine).queryRange(workspace, asked, signal))
}
