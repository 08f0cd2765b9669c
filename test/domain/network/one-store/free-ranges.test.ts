import { describe, expect, it } from 'vitest'
import { formatAddress, type Ipv4Range } from '../../../../domain/addresses/ipv4.ts'
import { addressCount, holds, sided, sorted, without } from '../../../../domain/network/subnets/address-ranges.ts'
import { defaultGateway, freeRangesOf, planOf, usableCount } from '../../../../domain/network/subnets/address-plan.ts'
import { seeded, type Random } from '../../../areas/random.ts'

const span = 64

/** Returns random ranges within 0 to 63, sorted and disjoint; some of the ranges may be adjacent. */
function randomRanges(random: Random): readonly Ipv4Range[] {
  const ranges: Ipv4Range[] = []
  for (let first = random.below(6); first < span;) {
    const last = Math.min(span - 1, first + random.below(8))
    ranges.push({ first, last })
    first = last + 1 + random.below(6)
  }
  return ranges
}

const each = Array.from({ length: span }, (_, address) => address)

/** Returns the naive form of ranges: for each address, true if a range contains the address. */
const bits = (ranges: readonly Ipv4Range[]): readonly boolean[] => each.map(address => holds(ranges, address))

describe('ranges of addresses', () => {
  it('minus others contain exactly the other addresses, in order', () => {
    const random = seeded(1)
    for (let round = 0; round < 2000; round += 1) {
      const [ranges, holes] = [randomRanges(random), randomRanges(random)]
      const left = without(ranges, holes)
      const [inside, out] = [bits(ranges), bits(holes)]
      expect(bits(left)).toEqual(each.map(address => inside[address] === true && out[address] === false))
      expect(sorted(left)).toEqual(left)
      expect(addressCount(left)).toBe(bits(left).filter(Boolean).length)
    }
  })

  it('are split by reserved ranges into the longest ranges of one kind', () => {
    const random = seeded(2)
    for (let round = 0; round < 2000; round += 1) {
      const [ranges, reserved] = [randomRanges(random), randomRanges(random)]
      const left = sided(ranges, reserved)
      expect(bits(left)).toEqual(bits(ranges))
      for (const { first, is_reserved, last } of left) {
        const side = each.slice(first, last + 1).map(address => holds(reserved, address))
        expect(new Set(side)).toEqual(new Set([is_reserved]))
      }
      const isSplit = left.some((range, i) => {
        const next = left[i + 1]
        return next?.first === range.last + 1 && next.is_reserved === range.is_reserved
      })
      expect(isSplit).toBe(false)
    }
  })
})

describe('the free ranges of a subnet', () => {
  it('exclude the addresses of the platform and of ports', () => {
    const reserved_ranges = [{ start: '10.0.0.4', end: '10.0.0.6' }, { start: '10.0.0.9' }]
    const plan = planOf({ cidr_block: '10.0.0.0/28', gateway_address: '10.0.0.3', reserved_ranges })
    const ranges = freeRangesOf(plan, [plan.block.first + 5, plan.block.first + 11])
    expect(
      ranges.map(({ first, is_reserved, last }) => [formatAddress(first), formatAddress(last), is_reserved]),
    ).toEqual([
      ['10.0.0.1', '10.0.0.2', false],
      ['10.0.0.4', '10.0.0.4', true],
      ['10.0.0.6', '10.0.0.6', true],
      ['10.0.0.7', '10.0.0.8', false],
      ['10.0.0.9', '10.0.0.9', true],
      ['10.0.0.10', '10.0.0.10', false],
      ['10.0.0.12', '10.0.0.13', false],
    ])
    expect(usableCount(plan.block)).toBe(12)
  })

  it('of a large subnet are one row', () => {
    const plan = planOf({
      cidr_block: '10.0.0.0/8',
      gateway_address: defaultGateway('10.0.0.0/8'),
      reserved_ranges: [],
    })
    expect(freeRangesOf(plan)).toMatchObject([{ first: plan.block.first + 2, last: plan.block.last - 2 }])
  })
})
