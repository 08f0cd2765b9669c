/** The number of restarts after kills, with the median and the maximum of the times until the servers listened. */
export interface Restarts {
  readonly count: number
  readonly medianMs: number
  readonly slowestMs: number
}

/**
 * Returns the number of start times, their median and their maximum, in whole milliseconds; all are 0 for an empty
 * list.
 */
export function restartsOf(startsMs: readonly number[]): Restarts {
  const sorted = startsMs.toSorted((a, b) => a - b)
  const rounded = (at: number): number => Math.round(sorted[at] ?? 0)
  return {
    count: sorted.length,
    medianMs: rounded(Math.floor(sorted.length / 2)),
    slowestMs: rounded(sorted.length - 1),
  }
}

/** Formats restarts for people: `12 restarts, median 700 ms, slowest 912 ms`. */
export const toldRestarts = ({ count, medianMs, slowestMs }: Restarts): string =>
  `${count} restarts, median ${medianMs} ms, slowest ${slowestMs} ms`
