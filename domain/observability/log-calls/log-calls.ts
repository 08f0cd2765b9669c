import type { LogsHandlers } from '../../../output/observability/handlers.ts'
import { listInMemory } from '../../../runtime/pagination.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { nanoRangeOf } from './log-times.ts'
import { queryLogs } from './query-logs.ts'
import { tailLogs } from './tail-logs.ts'

/** The ends of the times of all entries in nanoseconds since 1970. */
const [minTime, maxTime] = [0n, 2n ** 63n - 1n] as const

/**
 * Returns the handlers of logs. They are served in workspaces of any state (observability.md 4.12), and end when the
 * caller leaves.
 */
export function logs(environment: ObservabilityEnvironment): LogsHandlers {
  const { logs: engine, store, taxonomy } = environment
  return {
    async listLogStreams({ end_time, start_time, workspace }, { query }) {
      const { end = maxTime, start = minTime } = nanoRangeOf({ end_time, start_time })
      await requireWorkspace(store, taxonomy, workspace)
      return listInMemory(await engine.streams(workspace, { from: start, before: end }), query)
    },
    queryLogs: (request, context) => queryLogs(environment, request, context),
    tailLogs: (request, context) => tailLogs(environment, request, context),
  }
}
