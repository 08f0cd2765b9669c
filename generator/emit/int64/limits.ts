import type { Schema } from '../../model/types.ts'

/** Returns the last arguments of the check of a held integer: its bounds, which become inclusive, and its whole step. */
export function int64Limits(schema: Extract<Schema, { kind: 'number' }>): readonly string[] {
  const { exact, exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } = schema
  const low = bound(exact?.minimum, minimum, Math.ceil, exclusiveMinimum ? 1n : 0n)
  const high = bound(exact?.maximum, maximum, Math.floor, exclusiveMaximum ? -1n : 0n)
  const step = multipleOf === undefined ? undefined : stepOf(multipleOf)
  const limits = [low, high, step].map(limit => (limit === undefined ? 'undefined' : `${limit}n`))
  while (limits.at(-1) === 'undefined') limits.pop()
  return limits
}

/** The largest distance from 0 that the bounds of 64 bits permit; a wider bound has no effect. */
const widest = 2 ** 63

function bound(
  exact: string | undefined,
  value: number | undefined,
  round: (value: number) => number,
  beyond: bigint,
): bigint | undefined {
  if (exact !== undefined) return BigInt(exact) + beyond
  if (value === undefined || Math.abs(value) >= widest) return undefined
  const rounded = round(value)
  return BigInt(rounded) + (rounded === value ? beyond : 0n)
}

/** Returns the smallest whole number of which every integer that is a multiple of `step` is a multiple. */
function stepOf(step: number): bigint {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(step)) ?? []
  const shift = Number(exponent) - fraction.length
  const [numerator, denominator] = [
    BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, shift)),
    10n ** BigInt(Math.max(0, -shift)),
  ]
  return numerator / common(numerator, denominator)
}

const common = (a: bigint, b: bigint): bigint => (b === 0n ? a : common(b, a % b))
