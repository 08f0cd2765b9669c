import type { Capacity } from '../../../../domain/topology/pools/capacity.ts'
import type { NodeRoom } from '../../../../domain/topology/pools/numa.ts'
import type { PoolRoom } from '../../../../domain/topology/pools/placement.ts'
import type { Random } from '../../../areas/random.ts'

/** Returns a random whole number from 0 to `most`, also above 2^32. The numbers 0 and `most` are frequent. */
export function randomAmount(random: Random, most: number): number {
  if (random.percent(10)) return most
  if (random.percent(10)) return 0
  const high = random.below(2 ** 21) * 2 ** 32
  return Number((BigInt(high) + BigInt(random.below(2 ** 32))) % (BigInt(most) + 1n))
}

/** Returns a random capacity whose amounts are at most `most`. */
export const randomCapacity = (random: Random, most: number): Capacity => ({
  vcpus: randomAmount(random, most),
  memory_mib: randomAmount(random, most),
  disk_gib: randomAmount(random, most),
})

/** Returns up to `count` random NUMA nodes. */
export const randomNodes = (random: Random, count: number, most: number): readonly NodeRoom[] =>
  Array.from({ length: random.below(count + 1) }, () => ({
    vcpus: randomAmount(random, most),
    memory_mib: randomAmount(random, most),
  }))

/** Returns a random pool; pools with different numbers have different names. */
export function randomPool(random: Random, number: number, most: number): PoolRoom {
  const allocatable = randomCapacity(random, most)
  return {
    id: `id-${number}`,
    name: `${random.oneOf(['a', 'b', 'pool-', '\u{ffff}', '\u{10000}'])}${number}`,
    isAvailable: random.percent(80),
    allocatable,
    available: random.percent(30)
      ? allocatable
      : {
          vcpus: randomAmount(random, allocatable.vcpus),
          memory_mib: randomAmount(random, allocatable.memory_mib),
          disk_gib: randomAmount(random, allocatable.disk_gib),
        },
    nodes: randomNodes(random, 4, most),
  }
}
