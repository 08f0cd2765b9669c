import { sizeOf, type Ipv4Range } from '../../addresses/ipv4.ts'

/** A range of free addresses on one side of the reserved ranges of its subnet. */
export interface SidedRange extends Ipv4Range {
  readonly is_reserved: boolean
}

/** Returns whether one of the ranges contains an address. */
export const holds = (ranges: readonly Ipv4Range[], address: number): boolean =>
  ranges.some(({ first, last }) => first <= address && address <= last)

/** Returns ranges sorted by their first addresses. */
export const sorted = <R extends Ipv4Range>(ranges: readonly R[]): readonly R[] =>
  ranges.toSorted((one, other) => one.first - other.first)

/**
 * Returns the addresses of `ranges` that lie in none of `holes`, as sorted and disjoint ranges. Each of the two lists
 * must be sorted and disjoint.
 */
export function without(ranges: readonly Ipv4Range[], holes: readonly Ipv4Range[]): readonly Ipv4Range[] {
  const left: Ipv4Range[] = []
  let at = 0
  for (const { first, last } of ranges) {
    let next = first
    while ((holes[at]?.last ?? Infinity) < first) at += 1
    for (let i = at; next <= last; i += 1) {
      const hole = holes[i]
      if (!hole || hole.first > last) break
      if (hole.first > next) left.push({ first: next, last: hole.first - 1 })
      next = Math.max(next, hole.last + 1)
    }
    if (next <= last) left.push({ first: next, last })
  }
  return left
}

/**
 * Returns ranges that are split at the ends of reserved ranges, with neighbours on the same side merged. Each of the
 * two lists must be sorted and disjoint. A side that `ranges` already have is ignored.
 */
export function sided(ranges: readonly Ipv4Range[], reserved: readonly Ipv4Range[]): readonly SidedRange[] {
  const open = without(ranges, reserved)
  const kept = without(ranges, open)
  return merged(
    sorted([
      ...open.map(range => ({ ...range, is_reserved: false })),
      ...kept.map(range => ({ ...range, is_reserved: true })),
    ]),
  )
}

/** Returns the number of addresses in ranges. */
export const addressCount = (ranges: readonly Ipv4Range[]): number =>
  ranges.reduce((sum, range) => sum + sizeOf(range), 0)

function merged(ranges: readonly SidedRange[]): readonly SidedRange[] {
  const left: SidedRange[] = []
  for (const range of ranges) {
    const before = left.at(-1)
    const isNeighbour = before?.last === range.first - 1 && before.is_reserved === range.is_reserved
    if (isNeighbour) left[left.length - 1] = { ...before, last: range.last }
    else left.push(range)
  }
  return left
}
