import type { Attributes, SpanKind, SpanStatusCode } from '../../../output/observability/types.ts'

/** The kinds of spans without the beginning that all of them share. */
export type SpanKindName = SpanKind extends `OBSERVABILITY_SPAN_KIND_${infer Name}` ? Name : never

/** The codes of the status of a span without the beginning that all of them share. */
export type SpanStatusName = SpanStatusCode extends `OBSERVABILITY_SPAN_STATUS_${infer Name}` ? Name : never

/** Something that happened during a span; `time` in nanoseconds since 1970. */
export interface EventOfSpan {
  readonly name: string
  readonly time: bigint
  readonly attributes: Attributes
}

/** Another span that a span has to do with. */
export interface LinkOfSpan {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Attributes
}

/** The process that recorded spans. */
export interface SpanResource {
  /** The name of the service. */
  readonly service: string
  readonly attributes: Attributes
}

/** A span. Ids are lower-case hexadecimal digits; times are in nanoseconds since 1970. */
export interface TraceSpan {
  readonly traceId: string
  readonly spanId: string
  /** The id of the span that caused this one; empty for a root. */
  readonly parentId: string
  readonly name: string
  readonly kind: SpanKindName
  readonly start: bigint
  readonly end: bigint
  readonly status: SpanStatusName
  /** What went wrong; empty if nothing was said. */
  readonly message: string
  readonly attributes: Attributes
  /** The events, the earliest first. */
  readonly events: readonly EventOfSpan[]
  readonly links: readonly LinkOfSpan[]
  /** The library that recorded the span. */
  readonly scope: { readonly name: string; readonly version: string }
  readonly resource: SpanResource
}

/** Returns the duration of a span in nanoseconds; 0 if the clock of its sender went back. */
export const durationOf = ({ end, start }: Pick<TraceSpan, 'end' | 'start'>): bigint => (end > start ? end - start : 0n)

/** Orders spans by their start, then by their ids. */
export function byStart(one: TraceSpan, other: TraceSpan): number {
  if (one.start !== other.start) return one.start < other.start ? -1 : 1
  return one.spanId < other.spanId ? -1 : one.spanId > other.spanId ? 1 : 0
}
