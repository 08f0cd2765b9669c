/** Samples of one series in the order of their times, no two at one time. Values keep their bits, those of stale marks too. */
export interface Samples {
  /** The times in milliseconds since 1970. */
  readonly times: Float64Array
  readonly values: Float64Array
}

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
  return follow(filled) ? concatenated(filled) : interleaved(filled)
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

function interleaved(lists: readonly Samples[]): Samples {
  const all = concatenated(lists)
  const order = [...all.times.keys()].sort((a, b) => (all.times[a] ?? 0) - (all.times[b] ?? 0) || a - b)
  const kept = order.filter((at, i) => i === 0 || all.times[at] !== all.times[order[i - 1] ?? 0])
  return picked(all, kept)
}

/** Returns the samples at some positions. Values are copied as two integers each, because numbers may lose the bits of NaN. */
export function picked({ times, values }: Samples, positions: readonly number[]): Samples {
  const halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  const result = { times: new Float64Array(positions.length), values: new Float64Array(positions.length) }
  const target = new Uint32Array(result.values.buffer)
  for (const [i, at] of positions.entries()) {
    result.times[i] = times[at] ?? 0
    target[2 * i] = halves[2 * at] ?? 0
    target[2 * i + 1] = halves[2 * at + 1] ?? 0
  }
  return result
}
