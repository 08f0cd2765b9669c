import { tailCursorInvalid } from '../../../output/observability/errors.ts'
import type { LogTailResponse, ParsedTailLogsRequest } from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { ApiError, faultAt } from '../../../runtime/errors.ts'
import type { PageTokens } from '../../../runtime/page-token.ts'
import { durationMs } from '../../resources/durations.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { nanosecondsOfTime } from '../logql/nano-time.ts'
import type { FollowedPosition, LogFollower } from '../logs/log-follower.ts'
import { nativeEngine, stackMember } from '../stacks/stack.ts'
import { nativeFollower } from './native-follower.ts'

/**
 * Answers the entries that fit a query and came in after a cursor; waits for the first one if there is none
 * (observability.md 3).
 */
export async function tailLogs(
  environment: ObservabilityEnvironment,
  { body, engine, workspace }: ParsedTailLogsRequest,
  { signal }: CallContext,
): Promise<LogTailResponse> {
  const { clock, pageTokens, store, tails, taxonomy } = environment
  const { cursor, limit, query, start_time: startTime, wait } = body
  const follower = followerOf(environment, engine)
  follower.admit(workspace, query)
  const scope = JSON.stringify(['logs:tail', workspace, query, ...(engine === nativeEngine ? [] : [engine])])
  const known = cursor === '' ? undefined : positionIn(pageTokens, scope, cursor)
  await requireWorkspace(store, taxonomy, workspace)
  const since = startTime === undefined ? undefined : nanosecondsOfTime(startTime)
  const { entries, position, skipped } = await tails.run(workspace, async () => {
    if (known !== undefined && !(await follower.knows(workspace, known))) throw invalidCursor()
    const after = known ?? (await follower.begin(workspace, { query, since, now: clock.now() }, signal))
    const follow = { workspace, query, limit, after, waitMs: durationMs(wait), signal, now: () => clock.now() }
    return known === undefined ? entriesOrBegin(follower, follow) : nextEntries(follower, follow)
  })
  return { entries: [...entries], cursor: pageTokens.sign(scope, position), skipped_count: skipped }
}

const followerOf = ({ logs, stacks }: ObservabilityEnvironment, engine: string): LogFollower =>
  engine === nativeEngine ? nativeFollower(logs) : stackMember(stacks, engine, 'tails')

/** The logs that a caller follows. */
interface Follow {
  readonly workspace: string
  readonly query: string
  readonly limit: number
  readonly after: FollowedPosition
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly now: () => number
}

/** Reads as `nextEntries`; a caller without a cursor gets one, also if the engine does not answer after the beginning. */
async function entriesOrBegin(follower: LogFollower, follow: Follow) {
  try {
    return await nextEntries(follower, follow)
  } catch (error) {
    if (!(error instanceof ApiError && error.rpc === 'UNAVAILABLE')) throw error
    return { entries: [], position: follow.after, skipped: 0 }
  }
}

/** Reads until an entry fits, the time is over, or the caller leaves. */
async function nextEntries(follower: LogFollower, { after, limit, now, query, signal, waitMs, workspace }: Follow) {
  const timeIsOver = AbortSignal.timeout(Math.max(waitMs, 1))
  const until = AbortSignal.any([signal, timeIsOver])
  let position = after
  let skipped = 0
  for (;;) {
    const begun = performance.now()
    const page = await follower.read(workspace, { query, after: position, limit, now: now() }, signal)
    position = page.position
    skipped += page.skipped
    const { entries, hasMore } = page
    if (entries.length > 0 || timeIsOver.aborted || waitMs === 0) return { entries, position, skipped }
    await pause(follower.pauseMs(performance.now() - begun, hasMore), until)
    if (!hasMore) await follower.newEntries(workspace, position, until)
    signal.throwIfAborted()
  }
}

function positionIn(tokens: PageTokens, scope: string, cursor: string): FollowedPosition {
  try {
    return tokens.open(scope, cursor).map(String)
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
