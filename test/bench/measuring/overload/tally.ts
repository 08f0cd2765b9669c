/** The responses to requests of one kind: the time of each response in milliseconds, by its status. */
export class Tally {
  readonly times = new Map<number, number[]>()

  /** Counts a response; the status 0 stands for a request without a response. */
  add(status: number, milliseconds: number): void {
    const times = this.times.get(status)
    if (times) times.push(milliseconds)
    else this.times.set(status, [milliseconds])
  }

  count(status: number): number {
    return this.times.get(status)?.length ?? 0
  }

  /** Returns the times of all requests with a response, or those of one status. */
  of(status?: number): readonly number[] {
    if (status !== undefined) return this.times.get(status) ?? []
    return [...this.times].flatMap(([each, times]) => (each === 0 ? [] : times))
  }

  /** Returns the number of requests of each status, such as `200: 31, 503: 4`. */
  statuses(): string {
    return [...this.times]
      .toSorted(([one], [other]) => one - other)
      .map(([status, { length }]) => `${status === 0 ? 'none' : status}: ${length}`)
      .join(', ')
  }
}

/** Returns the time below which a part of the times lies; NaN for no times. */
export const quantile = (times: readonly number[], part: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN
