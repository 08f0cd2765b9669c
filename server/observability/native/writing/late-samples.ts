import { bitsOf, positionAfter, type Samples } from '../format/samples.ts'

/**
 * Compares samples at some positions with the stored samples of their series: returns the positions whose time is not
 * stored, and the number of samples that are stored with the same value. Of samples at one time, the first counts.
 */
export function compareLate(
  given: Samples,
  positions: readonly number[],
  stored: Samples,
): { readonly absent: readonly number[]; readonly equal: number } {
  const absent: number[] = []
  const taken = new Map<number, number>()
  let equal = 0
  for (const at of positions) {
    const time = given.times[at] ?? 0
    const storedAt = positionAfter(stored.times, time) - 1
    const takenAt = taken.get(time)
    if (stored.times[storedAt] === time) equal += Number(isEqualValue(given, at, stored, storedAt))
    else if (takenAt !== undefined) equal += Number(isEqualValue(given, at, given, takenAt))
    else {
      taken.set(time, at)
      absent.push(at)
    }
  }
  return { absent, equal }
}

/** Whether two values have the same bits; no two NaN are equal as numbers. */
function isEqualValue({ values: a }: Samples, at: number, { values: b }: Samples, other: number): boolean {
  const one = bitsOf(a.subarray(at, at + 1))
  const two = bitsOf(b.subarray(other, other + 1))
  return one[0] === two[0] && one[1] === two[1]
}
