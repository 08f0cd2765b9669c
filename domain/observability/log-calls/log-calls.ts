import type { LogsHandlers } from '../../../output/observability/handlers.ts'
import { listInMemory } from '../../../runtime/pagination.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { nativeEngine, stackMember } from '../stacks/stack.ts'
import { nanoRangeOf } from './log-times.ts'
import { queryLogs } from './query-logs.ts'
import { tailLogs } from './tail-logs.ts'

/**
 * Returns the handlers of logs. They are served in workspaces of any state (observability.md 4.12), and end when the
 * caller leaves.
 */
export function logs(environment: ObservabilityEnvironment): LogsHandlers {
  const { logs: native, queries, stacks, store, taxonomy } = environment
  return {
    async listLogStreams({ end_time, engine, start_time, workspace }, { now, query, signal }) {
      const { end: before, start: from } = nanoRangeOf({ end_time, start_time })
      await requireWorkspace(store, taxonomy, workspace)
      const times = { from, before, now }
      // The streams of a stack are found by queries.
      const streams =
        engine === nativeEngine
          ? native.streams(workspace, times, signal)
          : queries.run(store, workspace, () =>
              stackMember(stacks, engine, 'streams').streams(workspace, times, signal),
            )
      return listInMemory(await streams, query)
    },
    queryLogs: (request, context) => queryLogs(environment, request, context),
    tailLogs: (request, context) => tailLogs(environment, request, context),
  }
}
