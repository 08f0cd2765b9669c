import { describe, expect, it } from 'vitest'
import {
  allocatableOf,
  dimensions,
  firstShort,
  fits,
  minus,
  plus,
  type Capacity,
} from '../../../../../domain/topology/pools/capacity.ts'
import { seeded } from '../../../../areas/random.ts'
import { naiveAllocatable } from '../naive-placement.ts'
import { randomAmount, randomCapacity } from '../random-pools.ts'

/** The maximal amount that the interface accepts. */
const most = 2 ** 49 - 1

const all = (amount: number): Capacity => ({ vcpus: amount, memory_mib: amount, disk_gib: amount })
const nothing = all(0)

describe('allocatable capacity', () => {
  it.each([
    ['without overcommit the capacity less the reserve', 8, 1, 1, 7],
    ['rounded down', 3, 0, 1.5, 4],
    ['exact where a product of floats is a little too low', 100, 0, 1.15, 115],
    ['exact where a product of floats is a little too high', 8_786_432_143_391, 0, 10.89, 95_684_246_041_527],
    ['nothing of nothing', 0, 0, 16, 0],
    ['nothing if everything is reserved', most, most, 16, 0],
    ['exact at the limits of the interface', most, 0, 16, 2 ** 53 - 16],
    ['exact at the highest factor with decimals', most, 0, 15.99, 9_001_569_755_206_762],
    ['exact for the highest number', Number.MAX_SAFE_INTEGER, 0, 1, Number.MAX_SAFE_INTEGER],
  ])('is %s', (_, capacity, reserved, factor, expected) => {
    const found = allocatableOf({ capacity: all(capacity), reserved: all(reserved), overcommit: all(factor) })
    expect(found).toEqual(all(expected))
  })

  it('takes each dimension by itself', () => {
    const capacity = { vcpus: 10, memory_mib: 100, disk_gib: 1000 }
    const reserved = { vcpus: 1, memory_mib: 20, disk_gib: 300 }
    const overcommit = { vcpus: 4, memory_mib: 1.25, disk_gib: 1.01 }
    expect(allocatableOf({ capacity, reserved, overcommit })).toEqual({ vcpus: 36, memory_mib: 100, disk_gib: 707 })
  })

  it('is what long multiplication gives, for each factor', () => {
    const random = seeded(1)
    for (let hundredths = 100; hundredths <= 1600; hundredths += 1) {
      for (let round = 0; round < 10; round += 1) {
        const capacity = randomCapacity(random, most)
        const reserved = round === 0 ? nothing : { ...nothing, vcpus: randomAmount(random, capacity.vcpus) }
        const inventory = { capacity, reserved, overcommit: all(hundredths / 100) }
        const found = allocatableOf(inventory)
        for (const dimension of dimensions) expect(found[dimension]).toBe(naiveAllocatable(inventory, dimension))
      }
    }
  })
})

describe('amounts', () => {
  it('add up and subtract in each dimension', () => {
    const one = { vcpus: 1, memory_mib: 20, disk_gib: 300 }
    const other = { vcpus: 2, memory_mib: 5, disk_gib: 300 }
    expect(plus(one, other)).toEqual({ vcpus: 3, memory_mib: 25, disk_gib: 600 })
    expect(minus(one, other)).toEqual({ vcpus: -1, memory_mib: 15, disk_gib: 0 })
  })

  it('are what they were after they were added and subtracted again', () => {
    const random = seeded(2)
    for (let round = 0; round < 2000; round += 1) {
      const [one, other] = [randomCapacity(random, 2 ** 52 - 1), randomCapacity(random, 2 ** 52 - 1)]
      expect(minus(plus(one, other), other)).toEqual(one)
    }
  })

  it.each([
    [undefined, all(5)],
    [undefined, all(6)],
    ['vcpus', { ...all(5), vcpus: 4 }],
    ['memory_mib', { ...all(5), memory_mib: 4 }],
    ['disk_gib', { ...all(5), disk_gib: 4 }],
    ['vcpus', nothing],
    ['memory_mib', { ...nothing, vcpus: 5 }],
  ])('are short of a need of 5 first in %s in a room of %o', (dimension, room) => {
    expect(firstShort(all(5), room)).toBe(dimension)
    expect(fits(all(5), room)).toBe(dimension === undefined)
  })

  it('of the highest number fit into themselves alone', () => {
    expect(fits(all(Number.MAX_SAFE_INTEGER), all(Number.MAX_SAFE_INTEGER))).toBe(true)
    expect(fits(all(Number.MAX_SAFE_INTEGER), all(Number.MAX_SAFE_INTEGER - 1))).toBe(false)
  })
})
