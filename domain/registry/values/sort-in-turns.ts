import { nextTurn } from '../../resources/next-turn.ts'
/** The number of items that are sorted or merged before other work gets a turn. */
const sliceSize = 500

/** Returns items in their order; equal items keep their places. Yields to other work in between. */
export async function sortInTurns<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let i = 0; i < items.length; i += sliceSize) {
    runs.push(items.slice(i, i + sliceSize).sort(compare))
    await nextTurn()
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<readonly T[]> {
  const merged: T[] = []
  let [at, other] = [0, 0]
  while (at < first.length && other < second.length) {
    const [left, right] = [first[at], second[other]]
    // Both positions lie within their lists.
    if (left === undefined || right === undefined) break
    if (compare(left, right) <= 0) at = merged.push(left) - other
    else other = merged.push(right) - at
    if (merged.length % sliceSize === 0) await nextTurn()
  }
  return merged.concat(first.slice(at), second.slice(other))
}
