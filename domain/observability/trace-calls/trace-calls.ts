import { traceIdInvalid } from '../../../output/observability/errors.ts'
import type { TraceHandlers } from '../../../output/observability/handlers.ts'
import type { GetServiceGraphRequest, GetTraceRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { graphsOf, tracesOf } from '../stacks/stack.ts'
import { searchTraces } from './search-traces.ts'
import { timeoutMs, traceRange } from './trace-range.ts'

/**
 * Returns the handlers of traces. They are served in workspaces of any state (observability.md 4.12), and end when the
 * caller leaves.
 */
export const traces = (environment: ObservabilityEnvironment): TraceHandlers => ({
  getTrace: (request, context) => getTrace(environment, request, context),
  searchTraces: (request, context) => searchTraces(environment, request, context),
  getServiceGraph: (request, context) => getServiceGraph(environment, request, context),
})

async function getTrace(
  environment: ObservabilityEnvironment,
  { engine, id, workspace }: GetTraceRequest,
  { signal }: CallContext,
) {
  if (!/^[0-9a-f]{32}$/i.test(id)) throw faultAt(traceIdInvalid, 'id', 'must be 32 hexadecimal digits')
  await requireWorkspace(environment.store, environment.taxonomy, workspace)
  return tracesOf(environment, engine).trace(workspace, id.toLowerCase(), signal)
}

async function getServiceGraph(
  environment: ObservabilityEnvironment,
  { engine, min_call_count: minCallCount = 0, service, workspace, ...times }: GetServiceGraphRequest,
  { now, signal }: CallContext,
) {
  const { queries, store, taxonomy } = environment
  const range = traceRange(times, now)
  await requireWorkspace(store, taxonomy, workspace)
  const asked = { ...range, minCallCount, timeoutMs, ...(service !== undefined && { service }) }
  return queries.run(store, workspace, () => graphsOf(environment, engine).graph(workspace, asked, signal))
}
