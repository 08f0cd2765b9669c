import { decodeSpans } from '../../../../domain/observability/ingest/decode-spans.ts'
import { limitExceeded } from '../../../../domain/observability/promql/evaluation/query-budget.ts'
import type { OtlpFormat } from '../../../../domain/observability/sent-body.ts'
import {
  workspaceLabel,
  type LabelledWorkspace,
} from '../../../../domain/observability/stacks/queries/workspace-label.ts'
import { loadedTrace, type LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import { resourceOfText, spanOfText } from '../../../../domain/observability/traces/span-text.ts'
import type { SpanResource, TraceSpan } from '../../../../domain/observability/traces/span.ts'
import { ApiError } from '../../../../runtime/errors.ts'

/**
 * Returns the traces in a body of OTLP that a store answers, with the spans of the workspace alone; undefined for a body
 * of another form. The attribute that names the workspace is left out. Throws QUERY_LIMIT_EXCEEDED for more values than a
 * sender may send at one time.
 */
export function readTraces(
  body: Uint8Array,
  format: OtlpFormat,
  workspace: LabelledWorkspace,
): readonly LoadedTrace[] | undefined {
  try {
    return tracesIn(body, format, workspace)
  } catch (error) {
    // These are the errors of a sender, which the store is here.
    if (!(error instanceof ApiError)) throw error
    if (error.reason === 'PAYLOAD_TOO_LARGE')
      throw limitExceeded('spans', 'the traces have too many values; ask for less')
    return undefined
  }
}

function tracesIn(body: Uint8Array, format: OtlpFormat, workspace: LabelledWorkspace): readonly LoadedTrace[] {
  const { resources, spans } = decodeSpans({ body, coding: 'identity', format, staticAttributes: {} })
  const own = resources.map(({ text }) => ownResource(resourceOfText(text), workspace))
  const byTrace = new Map<string, Map<string, TraceSpan>>()
  for (const { resource: position, spanId, text, traceId } of spans) {
    const resource = own[position]
    if (resource === undefined) continue
    const found = byTrace.get(traceId) ?? new Map<string, TraceSpan>()
    byTrace.set(traceId, found.set(spanId, spanOfText(text, { traceId, spanId, resource })))
  }
  return [...byTrace.values()].flatMap(each => loadedTrace([...each.values()]) ?? [])
}

/** Returns a resource without the attribute of the workspace; undefined for a resource of another workspace. */
function ownResource({ attributes, service }: SpanResource, workspace: LabelledWorkspace): SpanResource | undefined {
  if (workspace === undefined) return { attributes, service }
  const { [workspaceLabel]: owner, ...rest } = attributes
  return owner === workspace ? { attributes: rest, service } : undefined
}
