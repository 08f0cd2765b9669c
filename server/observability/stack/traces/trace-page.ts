import type { TraceSummary } from '../../../../output/observability/types.ts'
import { startMicros, type LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { FoundTraces, TracePosition, TraceQuery } from '../../../../domain/observability/traces/trace-engine.ts'

interface Found {
  readonly start: number
  readonly traceId: string
  readonly summary: TraceSummary
}

type Asked = Pick<TraceQuery, 'after' | 'end' | 'limit' | 'start'>

/**
 * Collects the traces of a page. Its position is the start of the last trace of the page before, and the number of traces
 * with this start that the pages before have; traces with equal starts are in the order of their ids.
 */
export class TracePage {
  readonly #asked: Asked
  readonly #position: TracePosition
  readonly #seen = new Set<string>()
  readonly #found: Found[] = []

  constructor(asked: Asked) {
    this.#asked = asked
    this.#position = asked.after ?? [asked.end, 0]
  }

  /** The time before which traces of the page start, in microseconds since 1970. */
  get end(): number {
    return this.#position[0] + 1
  }

  /** Adds a trace if it starts in the range and `summarize` returns a summary; a trace that comes again is left out. */
  add(trace: LoadedTrace, summarize: (trace: LoadedTrace) => TraceSummary | undefined): void {
    const { traceId } = trace
    if (this.#seen.has(traceId)) return
    this.#seen.add(traceId)
    const start = startMicros(trace)
    const summary = start >= this.#asked.start && start < this.end ? summarize(trace) : undefined
    if (summary) this.#found.push({ start, traceId, summary })
  }

  /** Whether more traces start at `from` or later than the page has place for. */
  isFull(from: number): boolean {
    return this.#since(from).length > this.#asked.limit
  }

  /** Returns the page; `from` is the time from which on all traces have been added. */
  finish(from: number): FoundTraces {
    const since = this.#since(from)
    const page = since.slice(0, this.#asked.limit)
    const next =
      since.length > page.length ? this.#after(page) : from > this.#asked.start ? ([from - 1, 0] as const) : undefined
    return { traces: page.map(({ summary }) => summary), ...(next && { next }) }
  }

  /** Returns the traces that start at `from` or later and that no page before has, the newest first. */
  #since(from: number): readonly Found[] {
    const sorted = this.#found.filter(({ start }) => start >= from).toSorted(byLateStart)
    const [start, given] = this.#position
    return sorted.slice(Math.min(given, countAt(sorted, start)))
  }

  #after(page: readonly Found[]): TracePosition | undefined {
    const last = page.at(-1)
    if (last === undefined) return undefined
    const [start, given] = this.#position
    return [last.start, countAt(page, last.start) + (last.start === start ? given : 0)]
  }
}

const countAt = (found: readonly Found[], at: number): number => found.filter(({ start }) => start === at).length

/** Orders traces by their start, the latest first, then by their ids. */
function byLateStart(one: Found, other: Found): number {
  if (one.start !== other.start) return other.start - one.start
  return one.traceId < other.traceId ? -1 : 1
}
