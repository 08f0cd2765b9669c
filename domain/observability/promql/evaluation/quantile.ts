/**
 * Returns the quantile `q` of values, interpolated between the two nearest; sorts the values. NaN counts as the smallest
 * value. -Inf for q below 0, +Inf above 1, NaN for no values and for q = NaN.
 */
export function quantileOf(q: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(q)) return NaN
  if (q < 0) return -Infinity
  if (q > 1) return Infinity
  // The order of typed arrays puts NaN last.
  values.sort()
  const numbers = values.length - nanCount(values)
  const at = (index: number): number => values[(index + numbers) % values.length] ?? NaN
  const rank = q * (values.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(values.length - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  return at(lower) * (1 - weight) + at(upper) * weight
}

function nanCount(sorted: Float64Array): number {
  let count = 0
  while (count < sorted.length && Number.isNaN(sorted[sorted.length - 1 - count])) count += 1
  return count
}
