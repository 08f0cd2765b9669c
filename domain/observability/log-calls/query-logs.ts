import type { LogQueryResponse, ParsedQueryLogsRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { JsonText } from '../../../runtime/json.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import { durationMs } from '../../resources/durations.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { logAnswerText } from '../logql/answer-text.ts'
import type { EntryPosition } from '../logql/evaluation/log-query.ts'
import { requireFewSteps } from '../metric-calls/query-form.ts'
import { logsOf } from '../stacks/stack.ts'
import { nanoRangeOf, requireOrder, type NanoRange } from './log-times.ts'

/** The nanoseconds of a millisecond, and the milliseconds between the default start and the end of a query. */
const nanos = 1_000_000n
const defaultMs = 3_600_000n

/** The longest time that a query may run, in milliseconds. */
const timeoutMs = 30_000

/** The times of a query in nanoseconds since 1970. */
interface Times {
  readonly start: bigint
  readonly end: bigint
}

/** Evaluates a query of logs. */
export async function queryLogs(
  environment: ObservabilityEnvironment,
  { body, engine, workspace }: ParsedQueryLogsRequest,
  { now, signal }: CallContext,
): Promise<JsonText<LogQueryResponse>> {
  const { pageTokens, queries, store, taxonomy } = environment
  const { direction, limit, page_token: token, query, step, ...times } = body
  const range = nanoRangeOf(times)
  const scope = JSON.stringify(['logs:query', workspace, engine, query, direction, limit, step ?? '', times])
  const page = token === '' ? undefined : pageOf(pageTokens.open(scope, token))
  const { end, start } = page?.times ?? timesOf(range, now)
  requireOrder(start, end)
  const stepMs = step === undefined ? undefined : durationMs(step)
  if (stepMs !== undefined) requireFewSteps(Number(start / nanos), Number(end / nanos), stepMs)
  await requireWorkspace(store, taxonomy, workspace)
  const asked = {
    query,
    start,
    end,
    direction: direction === 'OBSERVABILITY_LOG_DIRECTION_FORWARD' ? 'FORWARD' : 'BACKWARD',
    limit,
    ...(stepMs !== undefined && { stepMs }),
    ...(page && { after: page.after }),
    timeoutMs,
  } as const
  const { cost, next, result, warnings } = await queries.run(store, workspace, () =>
    logsOf(environment, engine).query(workspace, asked, signal),
  )
  const nextToken = next && pageTokens.sign(scope, [next.time, next.number, start, end].map(String))
  return new JsonText(logAnswerText(result, cost, nextToken ?? '', warnings))
}

function timesOf({ end, start }: NanoRange, now: number): Times {
  const until = end ?? BigInt(now) * nanos
  return { start: start ?? until - defaultMs * nanos, end: until }
}

/** Returns the last entry of the page before, and the times of its query, from the keys of a token. */
function pageOf(keys: readonly unknown[]): { readonly after: EntryPosition; readonly times: Times } {
  const [time, number, start, end] = keys.map(String)
  return {
    after: { time: BigInt(time ?? 0), number: Number(number) },
    times: { start: BigInt(start ?? 0), end: BigInt(end ?? 0) },
  }
}
