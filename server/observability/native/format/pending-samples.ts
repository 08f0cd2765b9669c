import type { Part } from './part.ts'
import { bitsOf, mergeSamples, type GivenSamples, type Samples } from './samples.ts'

/** The number of positions that a key of the sort holds beside the id of a series. */
const positions = 2 ** 21

/** The largest number of samples that can wait for one commit. */
export const mostPending = positions - 1

/** Samples of one day that wait for their commit, in the order of their arrival. */
export class PendingSamples {
  #ids = new Uint32Array(1024)
  #times = new Float64Array(1024)
  /** The values as two integers each. */
  #bits = new Uint32Array(2048)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds the samples of a series between two positions. */
  add(id: number, { bits, times }: GivenSamples, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > mostPending) throw new RangeError('too many samples for one commit')
    if (length > this.#ids.length) this.#grow(length)
    for (let from = start, to = this.#length; from < end; from += 1, to += 1) {
      this.#ids[to] = id
      this.#times[to] = times[from] ?? 0
      this.#bits[2 * to] = bits[2 * from] ?? 0
      this.#bits[2 * to + 1] = bits[2 * from + 1] ?? 0
    }
    this.#length = length
  }

  /** Returns the samples in the order of series and times. Of samples of a series at one time, the first counts. */
  toPart(): Part {
    const order = this.#order()
    const times = new Float64Array(order.length)
    const values = new Float64Array(order.length)
    const to = bitsOf(values)
    const ids: number[] = []
    const ends: number[] = []
    let isSorted = true
    for (let i = 0; i < order.length; i += 1) {
      const key = order[i] ?? 0
      const id = Math.floor(key / positions)
      const at = key - id * positions
      const isNext = ids[ids.length - 1] !== id
      const time = this.#times[at] ?? 0
      if (isNext) {
        if (i > 0) ends.push(i)
        ids.push(id)
      } else if (time <= (times[i - 1] ?? 0)) isSorted = false
      times[i] = time
      to[2 * i] = this.#bits[2 * at] ?? 0
      to[2 * i + 1] = this.#bits[2 * at + 1] ?? 0
    }
    ends.push(order.length)
    const part = { ids: Uint32Array.from(ids), ends: Uint32Array.from(ends), times, values }
    return isSorted ? part : sortedByTime(part)
  }

  #order(): Float64Array {
    const order = new Float64Array(this.#length)
    for (let i = 0; i < order.length; i += 1) order[i] = (this.#ids[i] ?? 0) * positions + i
    return order.sort()
  }

  #grow(length: number): void {
    const size = Math.max(length, this.#ids.length * 2)
    const ids = new Uint32Array(size)
    const times = new Float64Array(size)
    const bits = new Uint32Array(2 * size)
    ids.set(this.#ids)
    times.set(this.#times)
    bits.set(this.#bits)
    this.#ids = ids
    this.#times = times
    this.#bits = bits
  }
}

/** Sorts the samples of each series of a part, which are in the order of their arrival. */
function sortedByTime({ ends, ids, times, values }: Part): Part {
  const lists = [...ids.keys()].map(i => {
    const start = i === 0 ? 0 : (ends[i - 1] ?? 0)
    const singles = [...times.subarray(start, ends[i]).keys()].map(at => ({
      times: times.subarray(start + at, start + at + 1),
      values: values.subarray(start + at, start + at + 1),
    }))
    return mergeSamples(singles)
  })
  return partOf(ids, lists)
}

/** Returns the part with the samples of each series, whose ids ascend. */
export function partOf(ids: ArrayLike<number>, lists: readonly Samples[]): Part {
  const length = lists.reduce((sum, list) => sum + list.times.length, 0)
  const part = {
    ids: Uint32Array.from(ids),
    ends: new Uint32Array(lists.length),
    times: new Float64Array(length),
    values: new Float64Array(length),
  }
  let at = 0
  for (const [i, list] of lists.entries()) {
    part.times.set(list.times, at)
    part.values.set(list.values, at)
    at += list.times.length
    part.ends[i] = at
  }
  return part
}
