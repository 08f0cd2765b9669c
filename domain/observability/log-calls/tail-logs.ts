import { tailCursorInvalid } from '../../../output/observability/errors.ts'
import type { LogTailResponse, ParsedTailLogsRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, faultAt } from '../../../runtime/errors.ts'
import type { PageTokens } from '../../../runtime/page-token.ts'
import { durationMs } from '../../resources/durations.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { parseLogQuery } from '../logql/language/parse.ts'
import type { TailPage } from '../logs/log-engine.ts'

/**
 * Answers the entries that fit a query and were committed after a cursor, in the order of commits; waits for the first
 * one if there is none (observability.md 3).
 */
export async function tailLogs(
  environment: ObservabilityEnvironment,
  { body, workspace }: ParsedTailLogsRequest,
  { signal }: CallContext,
): Promise<LogTailResponse> {
  const { logs, pageTokens, store, tails, taxonomy } = environment
  const { cursor, limit, query, start_time: startTime, wait } = body
  parseLogQuery(query)
  const scope = JSON.stringify(['logs:tail', workspace, query])
  const known = cursor === '' ? undefined : positionIn(pageTokens, scope, cursor)
  await requireWorkspace(store, taxonomy, workspace)
  const last = await logs.lastNumber(workspace)
  // The files may have been replaced by older ones since the cursor was answered.
  if (known !== undefined && known > last) throw invalidCursor()
  const begin = known ?? (startTime ? await logs.numberBefore(workspace, Date.parse(startTime), signal) : last)
  const follow = { workspace, query, limit, after: begin, waitMs: durationMs(wait), signal }
  const { entries, position, skipped } = await tails.run(workspace, () => nextEntries(environment, follow))
  return { entries: [...entries], cursor: pageTokens.sign(scope, [String(position)]), skipped_count: skipped }
}

/** What a caller follows. */
interface Follow {
  readonly workspace: string
  readonly query: string
  readonly limit: number
  readonly after: number
  readonly waitMs: number
  readonly signal: AbortSignal
}

/** The time between two reads of a call that wait for entries, in milliseconds: commits come up to fifty times a second. */
const pauseMs = 100

/** Reads until an entry fits, the time is over, or the caller leaves. */
async function nextEntries(
  { logs }: Pick<ObservabilityEnvironment, 'logs'>,
  { after, limit, query, signal, waitMs, workspace }: Follow,
): Promise<TailPage> {
  const timeIsOver = AbortSignal.timeout(Math.max(waitMs, 1))
  const until = AbortSignal.any([signal, timeIsOver])
  let position = after
  let skipped = 0
  for (;;) {
    const last = await logs.lastNumber(workspace)
    if (position < last) {
      const page = await logs.tail(workspace, { query, after: position, last, limit }, signal)
      position = page.position
      skipped += page.skipped
      if (page.entries.length > 0) return { entries: page.entries, position, skipped }
    }
    if (timeIsOver.aborted || waitMs === 0) return { entries: [], position, skipped }
    if (position >= last) {
      await pause(pauseMs, until)
      await logs.newEntries(workspace, position, until)
    }
    signal.throwIfAborted()
  }
}

function positionIn(tokens: PageTokens, scope: string, cursor: string): number {
  try {
    return Number(tokens.open(scope, cursor)[0])
  } catch (error) {
    throw error instanceof ApiError ? invalidCursor() : error
  }
}

const invalidCursor = (): ApiError =>
  faultAt(tailCursorInvalid, 'cursor', 'is no cursor of a call with this query; begin again without a cursor')

/** Resolves after a time in milliseconds, or once the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
