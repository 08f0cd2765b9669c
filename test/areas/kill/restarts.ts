/** How long servers that were killed took to listen again, in milliseconds. */
export interface Restarts {
  readonly count: number
  readonly medianMs: number
  readonly slowestMs: number
}

/** Sums the starts up; all are 0 when there was none. */
export function restartsOf(startsMs: readonly number[]): Restarts {
  const sorted = startsMs.toSorted((a, b) => a - b)
  const rounded = (at: number): number => Math.round(sorted[at] ?? 0)
  return {
    count: sorted.length,
    medianMs: rounded(Math.floor(sorted.length / 2)),
    slowestMs: rounded(sorted.length - 1),
  }
}

/** Prints restarts for people: `12 restarts, median 700 ms, slowest 912 ms`. */
export const toldRestarts = ({ count, medianMs, slowestMs }: Restarts): string =>
  `${count} restarts, median ${medianMs} ms, slowest ${slowestMs} ms`
