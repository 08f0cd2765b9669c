import type { Grouping } from './grouping.ts'
import type { QueryBudget } from './query-budget.ts'
import { executionFailed, isSeen, type Row } from './vectors.ts'

interface Candidate {
  readonly row: Row
  readonly value: number
}

/** Whether one value is thrown out before another; NaN goes first. */
type GoesBefore = (value: number, other: number) => boolean

const order: Readonly<Record<'topk' | 'bottomk', GoesBefore>> = {
  topk: (value, other) => Number.isNaN(value) || value < other,
  bottomk: (value, other) => Number.isNaN(value) || value > other,
}

/**
 * Selects the k largest (`topk`) or smallest elements of each group at each time. At one single time the elements of a
 * group are in the order of their values. Throws QUERY_EXECUTION_FAILED if a `k` is NaN or beyond 64 bits.
 */
export function selectTop(
  operator: 'topk' | 'bottomk',
  rows: readonly Row[],
  grouping: Grouping,
  sizes: Float64Array,
  budget: QueryBudget,
): readonly Row[] {
  if (sizes.every(size => size < 1)) return []
  for (const size of sizes) {
    if (Number.isNaN(size) || Math.abs(size) >= 2 ** 63) {
      throw executionFailed('PARAMETER', `the parameter of ${operator} must be an integer of 64 bits`)
    }
  }
  return grouping.groups(rows).flatMap(group => {
    const chosen = new Map<Row, Uint8Array>(group.map(row => [row, new Uint8Array(row.has.length)]))
    budget.hold(group.length * sizes.length)
    let last: readonly Candidate[] = []
    for (const [index, size] of sizes.entries()) {
      budget.spend(group.length)
      last = topAt(group, index, Math.min(Math.trunc(size), rows.length), order[operator])
      for (const { row } of last) chosen.get(row)?.fill(1, index, index + 1)
    }
    const result = sizes.length === 1 ? last.map(({ row }) => row) : group
    return result.map(row => ({ ...row, has: chosen.get(row) ?? row.has })).filter(isSeen)
  })
}

/** Returns the elements to select at the time with an index, the one to throw out last first. */
function topAt(rows: readonly Row[], index: number, size: number, goesBefore: GoesBefore): readonly Candidate[] {
  const heap: Candidate[] = []
  if (size < 1) return heap
  for (const row of rows) {
    if (row.has[index] !== 1) continue
    const value = row.values[index] ?? 0
    const [worst] = heap
    if (heap.length < size || worst === undefined) {
      heap.push({ row, value })
      moveUp(heap, goesBefore)
    } else if (goesBefore(worst.value, value) && !Number.isNaN(value)) {
      heap[0] = { row, value }
      moveDown(heap, goesBefore)
    }
  }
  return heap.sort((one, other) =>
    goesBefore(other.value, one.value) === goesBefore(one.value, other.value)
      ? 0
      : goesBefore(other.value, one.value)
        ? -1
        : 1,
  )
}

function moveUp(heap: Candidate[], goesBefore: GoesBefore): void {
  let index = heap.length - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (!swapIfBefore(heap, index, parent, goesBefore)) return
    index = parent
  }
}

function moveDown(heap: Candidate[], goesBefore: GoesBefore): void {
  let index = 0
  for (;;) {
    const [left, right] = [2 * index + 1, 2 * index + 2]
    const isRight = isBefore(heap, right, left, goesBefore)
    const child = isRight ? right : left
    if (!swapIfBefore(heap, child, index, goesBefore)) return
    index = child
  }
}

function isBefore(heap: readonly Candidate[], index: number, other: number, goesBefore: GoesBefore): boolean {
  const [one, two] = [heap[index], heap[other]]
  return one !== undefined && two !== undefined && goesBefore(one.value, two.value)
}

function swapIfBefore(heap: Candidate[], index: number, other: number, goesBefore: GoesBefore): boolean {
  const [one, two] = [heap[index], heap[other]]
  if (one === undefined || two === undefined || !isBefore(heap, index, other, goesBefore)) return false
  heap[index] = two
  heap[other] = one
  return true
}
