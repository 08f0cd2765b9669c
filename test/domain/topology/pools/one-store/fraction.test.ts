import { describe, expect, it } from 'vitest'
import { compareFractions, type Fraction } from '../../../../../domain/topology/pools/fraction.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { randomAmount } from '../random-pools.ts'

const most = Number.MAX_SAFE_INTEGER

function naiveOrder(one: Fraction, other: Fraction): number {
  const difference =
    BigInt(one.numerator) * BigInt(other.denominator) - BigInt(other.numerator) * BigInt(one.denominator)
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

function randomFraction(random: Random): Fraction {
  const limit = random.oneOf([3, 1000, 2 ** 32, most])
  return { numerator: randomAmount(random, limit), denominator: Math.max(1, randomAmount(random, limit)) }
}

/**
 * Returns a fraction near another fraction. As floats, the products that compare both fractions are equal or differ a
 * little.
 */
function neighbour(random: Random, { denominator, numerator }: Fraction): Fraction {
  const moved = (value: number): number => Math.min(most, Math.max(1, value + random.below(5) - 2))
  return { numerator: moved(numerator), denominator: moved(denominator) }
}

describe('fractions', () => {
  it.each([
    ['0/1', 0, 1, 0, most, 0],
    ['1/2 and 2/4', 1, 2, 2, 4, 0],
    ['the highest number of itself and 1/1', most, most, 1, 1, 0],
    ['fractions whose products differ by 1 above 2^53', most - 1, most, most - 2, most - 1, 1],
    ['fractions that are equal above 2^53', 2 ** 52, 2 ** 52 - 2, 2 ** 51, 2 ** 51 - 1, 0],
    ['fractions that are one as floats', most - 2, most - 1, most - 1, most, -1],
  ])('compare exactly: %s', (_, numerator, denominator, otherNumerator, otherDenominator, expected) => {
    const one = { numerator, denominator }
    const other = { numerator: otherNumerator, denominator: otherDenominator }
    expect(compareFractions(one, other)).toBe(expected)
    expect(compareFractions(other, one)).toBe(0 - expected)
  })

  it('compare as big integers do', () => {
    const random = seeded(5)
    let close = 0
    for (let round = 0; round < 50_000; round += 1) {
      const one = randomFraction(random)
      const other = random.percent(50) ? randomFraction(random) : neighbour(random, one)
      const order = naiveOrder(one, other)
      expect(compareFractions(one, other)).toBe(order)
      if (order !== 0 && one.numerator * other.denominator === other.numerator * one.denominator) close += 1
    }
    // The random pairs must include pairs that floats cannot tell apart.
    expect(close).toBeGreaterThan(100)
  })
})
