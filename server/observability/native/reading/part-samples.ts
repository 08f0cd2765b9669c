import { positionOfSeries, type Part } from '../format/part.ts'
import { bitsOf, inOrder, type Samples } from '../format/samples.ts'
import type { KnownSeries } from './series-catalog.ts'

/** The samples that given series have in some parts, gathered part by part: a part has few samples of each series. */
export class PartSamples {
  /** For each series, the position after its last sample. */
  readonly #ends: Uint32Array
  readonly #times: Float64Array
  readonly #values: Float64Array

  /** The ids of the series ascend. */
  constructor(parts: readonly Part[], given: readonly KnownSeries[]) {
    const ids = Uint32Array.from(given, ({ id }) => id)
    const ends = new Uint32Array(ids.length + 1)
    for (const part of parts)
      eachShared(part, ids, (at, start, end) => (ends[at + 1] = (ends[at + 1] ?? 0) + end - start))
    for (let at = 1; at < ends.length; at += 1) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0)
    const count = ends[ids.length] ?? 0
    this.#times = new Float64Array(count)
    this.#values = new Float64Array(count)
    const bits = bitsOf(this.#values)
    for (const part of parts) {
      const from = bitsOf(part.values)
      eachShared(part, ids, (at, start, end) => {
        let to = ends[at] ?? 0
        for (let i = start; i < end; i += 1, to += 1) {
          this.#times[to] = part.times[i] ?? 0
          bits[2 * to] = from[2 * i] ?? 0
          bits[2 * to + 1] = from[2 * i + 1] ?? 0
        }
        ends[at] = to
      })
    }
    this.#ends = ends
  }

  /** Returns the samples of the series with an index; the arrays share their memory. */
  of(index: number): Samples {
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0)
    const end = this.#ends[index] ?? start
    return inOrder({ times: this.#times.subarray(start, end), values: this.#values.subarray(start, end) })
  }
}

/** Calls `visit` with the index of each id that a part has, and with the positions of its samples. */
function eachShared(part: Part, ids: Uint32Array, visit: (at: number, start: number, end: number) => void): void {
  const { ends } = part
  let position = positionOfSeries(part, ids[0] ?? 0)
  for (let at = 0; at < ids.length && position < part.ids.length; at += 1) {
    const id = ids[at] ?? 0
    while (position < part.ids.length && (part.ids[position] ?? 0) < id) position += 1
    if (part.ids[position] === id) visit(at, position === 0 ? 0 : (ends[position - 1] ?? 0), ends[position] ?? 0)
  }
}
