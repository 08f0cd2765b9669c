import { byStart, type TraceSpan } from './span.ts'

/** The spans of a trace and what follows from them. */
export interface LoadedTrace {
  readonly traceId: string
  /** The spans, the earliest start first; at least one. */
  readonly spans: readonly TraceSpan[]
  /** The earliest span without a parent; undefined while it is missing. */
  readonly root: TraceSpan | undefined
  /** The start of the earliest span in nanoseconds since 1970. */
  readonly start: bigint
  /** The nanoseconds from the earliest start to the latest end. */
  readonly duration: bigint
}

/** Returns the trace of some spans; undefined without a span. */
export function loadedTrace(given: readonly TraceSpan[]): LoadedTrace | undefined {
  const spans = given.toSorted(byStart)
  const [first] = spans
  if (first === undefined) return undefined
  const end = spans.reduce((latest, span) => (span.end > latest ? span.end : latest), first.start)
  const { start, traceId } = first
  return { traceId, spans, root: spans.find(({ parentId }) => parentId === ''), start, duration: end - start }
}

/** Returns the start of a trace in microseconds since 1970, rounded down. */
export const startMicros = ({ start }: Pick<LoadedTrace, 'start'>): number => Number(start / 1000n)
