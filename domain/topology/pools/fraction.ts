/** A fraction of whole numbers from 0 to below 2^53. */
export interface Fraction {
  readonly numerator: number
  /** The denominator, at least 1. */
  readonly denominator: number
}

/** Compares two fractions exactly. Returns -1 if `one` is smaller, 0 if both are equal, and 1 if `one` is greater. */
export function compareFractions(one: Fraction, other: Fraction): number {
  const left = one.numerator * other.denominator
  const right = other.numerator * one.denominator
  // Rounding never reverses the order of two products, but may make different products equal if they exceed 2^53.
  if (left !== right) return left < right ? -1 : 1
  if (left <= Number.MAX_SAFE_INTEGER) return 0
  const exactLeft = BigInt(one.numerator) * BigInt(other.denominator)
  const exactRight = BigInt(other.numerator) * BigInt(one.denominator)
  return exactLeft === exactRight ? 0 : exactLeft < exactRight ? -1 : 1
}
