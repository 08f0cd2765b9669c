import { StaleMarks } from '../metrics/samples.ts'

/** The value of a sample; `stale` ends the series until its next sample. */
export type SampleValue = number | 'stale'

/** Samples in the order of series and times, as a batch has them. */
export interface OrderedSamples {
  readonly ends: Uint32Array
  readonly times: Float64Array
  readonly values: Float64Array
}

/** The samples of a request in the order of their arrival: a column of series, one of times, and one of values. */
export class SampleColumns {
  #series = new Uint32Array(1024)
  #times = new Float64Array(1024)
  #values = new Float64Array(1024)
  #marks = new StaleMarks(this.#values)
  #length = 0
  #isOrdered = true

  /** Adds a sample of the series with a position. */
  add(series: number, time: number, value: SampleValue): void {
    const at = this.#length
    if (at === this.#times.length) this.#grow()
    if (at > 0 && this.#isOrdered) {
      const before = this.#series[at - 1] ?? 0
      this.#isOrdered = series > before || (series === before && time >= (this.#times[at - 1] ?? 0))
    }
    this.#series[at] = series
    this.#times[at] = time
    if (value === 'stale') this.#marks.set(at)
    // A NaN of a sender must not have the bits of the mark of ended series.
    else this.#values[at] = Number.isNaN(value) ? Number.NaN : value
    this.#length = at + 1
  }

  /** Returns the samples of series 0 to `count - 1`; samples of a series at one time keep the order of their arrival. */
  ordered(count: number): OrderedSamples {
    const ends = this.#endsOf(count)
    const times = this.#times.slice(0, this.#length)
    const values = this.#values.slice(0, this.#length)
    if (this.#isOrdered) return { ends, times, values }
    // Numbers may lose the bits of NaN, so values are copied as two integers each.
    const from = new Uint32Array(this.#values.buffer)
    const to = new Uint32Array(values.buffer)
    for (const [place, at] of this.#order(ends).entries()) {
      times[place] = this.#times[at] ?? 0
      to[2 * place] = from[2 * at] ?? 0
      to[2 * place + 1] = from[2 * at + 1] ?? 0
    }
    return { ends, times, values }
  }

  #endsOf(count: number): Uint32Array {
    const ends = new Uint32Array(count)
    for (let at = 0; at < this.#length; at += 1) {
      const series = this.#series[at] ?? 0
      ends[series] = (ends[series] ?? 0) + 1
    }
    for (let series = 1; series < count; series += 1) ends[series] = (ends[series] ?? 0) + (ends[series - 1] ?? 0)
    return ends
  }

  /** Returns the positions of all samples in the order of series and times. */
  #order(ends: Uint32Array): Uint32Array {
    const order = new Uint32Array(this.#length)
    const next = new Uint32Array(ends.length)
    next.set(ends.subarray(0, -1), 1)
    for (let at = 0; at < this.#length; at += 1) {
      const series = this.#series[at] ?? 0
      const place = next[series] ?? 0
      order[place] = at
      next[series] = place + 1
    }
    let start = 0
    for (const end of ends) {
      this.#sortByTime(order.subarray(start, end))
      start = end
    }
    return order
  }

  #sortByTime(positions: Uint32Array): void {
    const timeOf = (at: number | undefined): number => this.#times[at ?? 0] ?? 0
    if (positions.some((at, i) => i > 0 && timeOf(at) < timeOf(positions[i - 1])))
      positions.sort((one, other) => timeOf(one) - timeOf(other))
  }

  #grow(): void {
    const size = this.#times.length * 2
    const [series, times, values] = [new Uint32Array(size), new Float64Array(size), new Float64Array(size)]
    series.set(this.#series)
    times.set(this.#times)
    values.set(this.#values)
    this.#series = series
    this.#times = times
    this.#values = values
    this.#marks = new StaleMarks(values)
  }
}
