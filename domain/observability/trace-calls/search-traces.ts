import type {
  ParsedSearchTracesRequest,
  ParsedTraceSearch,
  SearchTracesResponse,
} from '../../../output/observability/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { parseDuration } from '../../../runtime/timestamps.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { tracesOf } from '../stacks/stack.ts'
import type { TracePosition, TraceRange } from '../traces/trace-engine.ts'
import { timeoutMs, traceRange } from './trace-range.ts'

/** Searches traces; each page has the range of the first one, also if its end was the time of that call. */
export async function searchTraces(
  environment: ObservabilityEnvironment,
  { body, engine, workspace }: ParsedSearchTracesRequest,
  { now, path, signal }: CallContext,
): Promise<SearchTracesResponse> {
  const { pageTokens, queries, store, taxonomy } = environment
  const scope = `${path} ${scopeOf(body)}`
  const token = body.page_token ?? ''
  const asked = traceRange(body, now)
  const { after, range } = token === '' ? { after: undefined, range: asked } : openToken(pageTokens.open(scope, token))
  await requireWorkspace(store, taxonomy, workspace)
  const { attributes, limit, max_duration, min_duration, query, service, span_name: spanName } = body
  const [minDuration, maxDuration] = [min_duration, max_duration].map(text => parseDuration(text ?? ''))
  const wanted = {
    ...range,
    ...(after && { after }),
    ...(minDuration !== undefined && { minDuration }),
    ...(maxDuration !== undefined && { maxDuration }),
    attributes,
    limit,
    query,
    service,
    spanName,
    timeoutMs,
  }
  const found = await queries.run(store, workspace, () =>
    tracesOf(environment, engine).search(workspace, wanted, signal),
  )
  const next = found.next && pageTokens.sign(scope, [...found.next, range.start, range.end])
  return { traces: [...found.traces], next_page_token: next ?? '' }
}

/** Returns the text of all that must be the same in the calls of a list of pages. */
const scopeOf = (body: ParsedTraceSearch): string => {
  const { attributes, end_time, limit, max_duration, min_duration, query, service, span_name, start_time } = body
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([query, service, span_name, min_duration, max_duration, sorted, start_time, end_time, limit])
}

/** Returns the position and the range in a token that this server has signed. */
function openToken(keys: readonly unknown[]): { readonly after: TracePosition; readonly range: TraceRange } {
  const [start = 0, number = 0, from = 0, to = 0] = keys.map(Number)
  return { after: [start, number], range: { start: from, end: to } }
}
