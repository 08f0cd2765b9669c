import type { Span, Trace, TraceSummary } from '../../../output/observability/types.ts'
import type { LoadedTrace } from './loaded-trace.ts'
import { durationOf, type TraceSpan } from './span.ts'

/** The largest number of spans in an answer. */
export const maxSpans = 10_000

/** The largest number of found spans in a summary. */
const maxMatched = 3

/** The facts about a trace that its answer needs beside the spans that were read. */
export interface TraceCounts {
  readonly spans: number
  readonly errors: number
  /** Whether the trace has a span that was not read. */
  has(spanId: string): boolean
}

/** Returns the counts of a trace of which all spans were read. */
export const countsOf = ({ spans }: LoadedTrace): TraceCounts => ({
  spans: spans.length,
  errors: spans.filter(({ status }) => status === 'ERROR').length,
  has: () => false,
})

/** Returns the answer for a trace. */
export const traceAnswer = (trace: LoadedTrace, counts: TraceCounts): Trace => ({
  ...facts(trace, counts),
  spans: trace.spans.slice(0, maxSpans).map(spanAnswer),
})

/** Returns the summary of a trace with the first found spans. */
export const summaryOf = (trace: LoadedTrace, matched: readonly TraceSpan[]): TraceSummary => ({
  ...facts(trace, countsOf(trace)),
  matched_spans: matched.slice(0, maxMatched).map(spanAnswer),
})

function facts(trace: LoadedTrace, { errors, has, spans }: TraceCounts): Omit<Trace, 'spans'> {
  const { duration, root, start, traceId } = trace
  const ids = new Set(trace.spans.map(({ spanId }) => spanId))
  return {
    trace_id: traceId,
    root_service: root?.resource.service ?? '',
    root_name: root?.name ?? '',
    start_time: formatNanos(start),
    duration: micros(duration),
    span_count: spans,
    error_count: errors,
    services: [...new Set(trace.spans.map(({ resource }) => resource.service))].toSorted(),
    partial: trace.spans.some(({ parentId }) => parentId !== '' && !ids.has(parentId) && !has(parentId)),
    truncated: spans > maxSpans,
  }
}

function spanAnswer(span: TraceSpan): Span {
  const { attributes, end, events, kind, links, message, name, parentId, resource, scope, spanId, start, status } = span
  return {
    span_id: spanId,
    parent_span_id: parentId,
    name,
    kind: `OBSERVABILITY_SPAN_KIND_${kind}`,
    service_name: resource.service,
    start_time: formatNanos(start),
    end_time: formatNanos(end),
    duration: micros(durationOf(span)),
    status: { code: `OBSERVABILITY_SPAN_STATUS_${status}`, message },
    attributes,
    events: events.map(event => ({ name: event.name, time: formatNanos(event.time), attributes: event.attributes })),
    links: links.map(link => ({ trace_id: link.traceId, span_id: link.spanId, attributes: link.attributes })),
    scope,
    resource_attributes: resource.attributes,
  }
}

/** Returns whole microseconds of nanoseconds; a clock that is far off gives the largest number. */
const micros = (nanos: bigint): number => Math.min(Number(nanos / 1000n), Number.MAX_SAFE_INTEGER)

/** Returns the text of a time in nanoseconds since 1970: RFC 3339, UTC, nine fraction digits. */
export function formatNanos(nanos: bigint): string {
  const millis = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, -1)
  return `${millis}${String(nanos % 1_000_000n).padStart(6, '0')}Z`
}
