/** A range of integers that a rule matches, both ends included. */
export interface RuleRange {
  /** The index of the rule. */
  readonly rule: number
  readonly first: number
  readonly last: number
}

/** The number of flips between two snapshots: a look-up copies a snapshot and applies fewer flips than this number. */
const stride = 64

/** Returns the number of 32-bit words of a bit set over `count` rules, at least 1. */
export const wordsFor = (count: number): number => Math.max(1, Math.ceil(count / 32))

/** Adds a rule to a bit set. */
export function addTo(set: Uint32Array, rule: number): void {
  const word = rule >>> 5
  set[word] = (set[word] ?? 0) | (1 << (rule & 31))
}

/**
 * The sets of the rules that match each integer from 0 to 2^32 - 1. The bounds of all ranges are sorted, and each bound
 * flips the bit of one rule; every 64th set is kept as a snapshot. Memory grows with the number of ranges times the
 * number of rules. A look-up costs a binary search, a copy of a set and fewer than 64 flips.
 */
export class IntervalSets {
  readonly #words: number
  readonly #bounds: Uint32Array
  readonly #flips: Uint32Array
  readonly #snapshots: Uint32Array

  /** Builds the sets. The ranges may overlap, also two ranges of one rule. */
  constructor(words: number, ranges: readonly RuleRange[]) {
    const flips = flipsOf(ranges)
    this.#words = words
    this.#bounds = Uint32Array.from(flips, flip => Math.floor(flip / ruleSpan))
    this.#flips = Uint32Array.from(flips, flip => flip % ruleSpan)
    this.#snapshots = new Uint32Array((Math.floor(flips.length / stride) + 1) * words)
    const current = new Uint32Array(words)
    for (const [i, rule] of this.#flips.entries()) {
      flip(current, rule)
      if ((i + 1) % stride === 0) this.#snapshots.set(current, ((i + 1) / stride) * words)
    }
  }

  /** Writes the set of the rules that match `value` into `into`, which has `words` words. */
  read(value: number, into: Uint32Array): void {
    const end = this.#flipsUpTo(value)
    const snapshot = Math.floor(end / stride)
    const start = snapshot * this.#words
    for (let i = 0; i < this.#words; i += 1) into[i] = this.#snapshots[start + i] ?? 0
    for (let i = snapshot * stride; i < end; i += 1) flip(into, this.#flips[i] ?? 0)
  }

  #flipsUpTo(value: number): number {
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#bounds[middle] ?? 0) <= value) low = middle + 1
      else high = middle
    }
    return low
  }
}

function flip(set: Uint32Array, rule: number): void {
  const word = rule >>> 5
  set[word] = (set[word] ?? 0) ^ (1 << (rule & 31))
}

/**
 * The factor of the bound in a flip. A flip is one number, `bound * ruleSpan + rule`, because numbers are sorted much
 * faster than objects.
 */
const ruleSpan = 2 ** 20

/** Returns the sorted flips of all ranges. A flip after the greatest integer is left out. */
function flipsOf(ranges: readonly RuleRange[]): Float64Array {
  const flips: number[] = []
  for (const { first, last, rule } of mergedOf(ranges)) {
    flips.push(first * ruleSpan + rule)
    if (last < 2 ** 32 - 1) flips.push((last + 1) * ruleSpan + rule)
  }
  return Float64Array.from(flips).sort()
}

/**
 * Returns the ranges with those of one rule joined that overlap or touch, because a bit must not be flipped back within
 * a range.
 */
function mergedOf(ranges: readonly RuleRange[]): readonly RuleRange[] {
  const merged: RuleRange[] = []
  for (const range of ranges.toSorted((one, other) => one.rule - other.rule || one.first - other.first)) {
    const previous = merged.at(-1)
    if (previous?.rule !== range.rule || range.first > previous.last + 1) merged.push(range)
    else merged[merged.length - 1] = { ...previous, last: Math.max(previous.last, range.last) }
  }
  return merged
}
