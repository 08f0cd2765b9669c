/** Samples of one series in the order of their times, no two at one time. Values keep their bits, those of stale marks too. */
export interface Samples {
  /** The times in milliseconds since 1970. */
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Samples with the values as two integers each, in which NaN keeps its bits. */
export interface GivenSamples extends Samples {
  readonly bits: Uint32Array
}

/** Returns samples with their bits, in the same memory. */
export const given = ({ times, values }: Samples): GivenSamples => ({ times, values, bits: bitsOf(values) })

/** Returns values as two integers each, the lower one first, in the same memory. */
export const bitsOf = ({ buffer, byteOffset, length }: Float64Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length * 2)

export const noSamples: Samples = { times: new Float64Array(0), values: new Float64Array(0) }

/** Returns the first position in sorted times whose time is later than `time`. */
export function positionAfter(times: Float64Array, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) > time) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the samples that are later than `after`, and not later than `to`; the arrays share their memory. */
export function samplesBetween({ times, values }: Samples, after: number, to: number): Samples {
  const start = positionAfter(times, after)
  const end = positionAfter(times, to)
  if (start >= end) return noSamples
  if (start === 0 && end === times.length) return { times, values }
  return { times: times.subarray(start, end), values: values.subarray(start, end) }
}

/**
 * Returns the samples of several lists in the order of their times. Of samples at one time, the sample of the earlier
 * list counts.
 */
export function mergeSamples(lists: readonly Samples[]): Samples {
  const filled = lists.filter(({ times }) => times.length > 0)
  const [first = noSamples] = filled
  if (filled.length <= 1) return first
  const all = concatenated(filled)
  return follow(filled) ? all : inOrder(all)
}

/** Whether each list begins after the end of the list before. */
function follow(lists: readonly Samples[]): boolean {
  let end = -Infinity
  for (const { times } of lists) {
    if ((times[0] ?? 0) <= end) return false
    end = times[times.length - 1] ?? end
  }
  return true
}

function concatenated(lists: readonly Samples[]): Samples {
  const length = lists.reduce((sum, { times }) => sum + times.length, 0)
  const times = new Float64Array(length)
  const values = new Float64Array(length)
  let at = 0
  for (const list of lists) {
    times.set(list.times, at)
    values.set(list.values, at)
    at += list.times.length
  }
  return { times, values }
}

/** Returns samples in any order in the order of their times. Of samples at one time, the first counts. */
export function inOrder(all: Samples): Samples {
  if (isAscending(all.times)) return all
  const order = [...all.times.keys()].sort((a, b) => (all.times[a] ?? 0) - (all.times[b] ?? 0) || a - b)
  const kept = order.filter((at, i) => i === 0 || all.times[at] !== all.times[order[i - 1] ?? 0])
  return picked(all, kept)
}

function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i += 1) if ((times[i] ?? 0) <= (times[i - 1] ?? 0)) return false
  return true
}

/** Returns the samples at some positions. Values are copied as two integers each, because numbers may lose the bits of NaN. */
export function picked({ times, values }: Samples, positions: readonly number[]): Samples {
  const bits = bitsOf(values)
  const result = { times: new Float64Array(positions.length), values: new Float64Array(positions.length) }
  const target = bitsOf(result.values)
  for (const [i, at] of positions.entries()) {
    result.times[i] = times[at] ?? 0
    target[2 * i] = bits[2 * at] ?? 0
    target[2 * i + 1] = bits[2 * at + 1] ?? 0
  }
  return result
}

/** Returns the earliest and the latest of some times. */
export function extent(times: Float64Array): { readonly first: number; readonly last: number } {
  let first = Infinity
  let last = -Infinity
  for (const time of times) {
    if (time < first) first = time
    if (time > last) last = time
  }
  return { first, last }
}
