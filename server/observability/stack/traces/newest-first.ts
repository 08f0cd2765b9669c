import type { LoadedTrace } from '../../../../domain/observability/traces/loaded-trace.ts'
import type { Candidates } from './trace-backend.ts'

/** A window of times in microseconds since 1970; `to` is excluded. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** What a store answers for a window. */
export interface WindowTraces {
  readonly traces: readonly LoadedTrace[]
  /** Whether the store may have more traces for the window than it has answered. */
  readonly isFull: boolean
}

type ReadWindow = (window: TimeWindow) => Promise<WindowTraces>

/** How much smaller a window becomes for which the store has too many traces, and larger after windows of few traces. */
const factor = 8

/** The most requests of a search; a window shrinks to a microsecond in fewer. */
const maxReads = 100

/**
 * Reads a range from a store that answers a limited number of traces in no order: in windows, the newest first, each so
 * small that the store answers all of its traces. A window of a microsecond counts as read, whatever the store answers.
 * Ends before the range does once it has taken `longestMs` milliseconds, or after 100 requests.
 */
export async function* newestFirst(range: TimeWindow, longestMs: number, read: ReadWindow): AsyncGenerator<Candidates> {
  const until = performance.now() + longestMs
  let { to } = range
  let length = to - range.from
  let growth = factor
  for (let reads = 0; to > range.from && reads < maxReads; reads += 1) {
    // Each search comes further than the one before.
    if (to < range.to && performance.now() > until) return
    const from = Math.max(range.from, to - length)
    const { isFull, traces } = await read({ from, to })
    if (isFull && to - from > 1) {
      length = Math.ceil((to - from) / factor)
      growth = 2
      continue
    }
    yield { traces, from }
    to = from
    length *= growth
    growth = factor
  }
}

/** Reads as much of a window as the store answers whole, from its beginning; nothing if not even a microsecond is. */
export async function readBeginning({ from, to }: TimeWindow, read: ReadWindow): Promise<readonly LoadedTrace[]> {
  for (let length = to - from; length >= 1; length = Math.floor(length / factor)) {
    const { isFull, traces } = await read({ from, to: from + length })
    if (!isFull) return traces
  }
  return []
}
