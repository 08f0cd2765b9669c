import { describe, expect, it } from 'vitest'
import type { Capacity } from '../../../../../domain/topology/pools/capacity.ts'
import type { NodeRoom } from '../../../../../domain/topology/pools/numa.ts'
import type { CapacityNeed, Shortage } from '../../../../../domain/ports/topology.ts'
import { place, type Placement, type PoolRoom } from '../../../../../domain/topology/pools/placement.ts'
import { seeded, type Random } from '../../../../areas/random.ts'
import { naivePlacement, type NaiveOutcome } from '../naive-placement.ts'
import { randomCapacity, randomNodes, randomPool } from '../random-pools.ts'

const amounts = (vcpus: number, memory_mib: number, disk_gib: number): Capacity => ({ vcpus, memory_mib, disk_gib })
const none = amounts(0, 0, 0)

/** Returns an available and empty pool, changed by `rest`. */
function pool(name: string, allocatable: Capacity, rest: Partial<PoolRoom> = {}): PoolRoom {
  return { id: `id-${name}`, name, isAvailable: true, allocatable, available: allocatable, nodes: [], ...rest }
}

const named = (outcome: Placement | Shortage): NaiveOutcome =>
  outcome.kind === 'placed' ? { name: outcome.pool.name, nodes: outcome.nodes } : outcome

const small = amounts(1, 1, 1)

describe('placement', () => {
  it.each([
    ['of one pool that fits', [pool('a', small)], 'a'],
    // A need of 1 leaves 9/10 of the memory of `a`, and 98/99 of the memory of `b`.
    ['by the share of memory, not the amount', [pool('a', amounts(9, 10, 9)), pool('b', amounts(9, 99, 9))], 'b'],
    [
      'by the share of what is left after the placement',
      // The free share of memory is 9/10 or 89/100 before the placement, and 8/10 or 88/100 afterwards.
      [
        pool('a', amounts(9, 10, 9), { available: amounts(9, 9, 9) }),
        pool('b', amounts(9, 100, 9), { available: amounts(9, 89, 9) }),
      ],
      'b',
    ],
    ['by name where the shares are equal', [pool('b', small), pool('a', small), pool('c', small)], 'a'],
    ['by name in the order of code points', [pool('\u{10000}', small), pool('\u{ffff}', small)], '\u{ffff}'],
    ['by name where a name begins with another', [pool('ab', small), pool('a', small)], 'a'],
    ['by name, digits before letters, as text', [pool('p2', small), pool('p10', small)], 'p10'],
    [
      'by name where equal fractions have different terms',
      [pool('b', amounts(9, 3, 9)), pool('a', amounts(9, 6, 9), { available: amounts(9, 5, 9) })],
      'a',
    ],
    ['without pools that are not AVAILABLE', [pool('a', small, { isAvailable: false }), pool('b', small)], 'b'],
    ['without pools that lack vcpus', [pool('a', amounts(0, 9, 9)), pool('b', small)], 'b'],
    ['without pools that lack memory', [pool('a', amounts(9, 0, 9)), pool('b', small)], 'b'],
    ['without pools that lack disk space', [pool('a', amounts(9, 9, 0)), pool('b', small)], 'b'],
    [
      'by shares that are one as floats',
      [
        pool('a', amounts(1, 2 ** 53 - 2, 1), { available: amounts(1, 2 ** 53 - 3, 1) }),
        pool('b', amounts(1, 2 ** 53 - 1, 1), { available: amounts(1, 2 ** 53 - 2, 1) }),
      ],
      'b',
    ],
  ])('chooses %s', (_, pools, expected) => {
    const need = { ...small }
    expect(named(place(pools, need))).toEqual({ name: expected, nodes: [] })
    expect(named(place(pools.toReversed(), need))).toEqual({ name: expected, nodes: [] })
  })

  it('returns the pool that it was given', () => {
    const given = pool('a', small)
    expect(place([given], small)).toEqual({ kind: 'placed', pool: given, nodes: [] })
  })

  it('counts a pool without memory as a share of 0 for a need without memory', () => {
    const empty = pool('a', amounts(1, 0, 1))
    const full = pool('b', amounts(1, 8, 1), { available: amounts(1, 0, 1) })
    const other = pool('c', amounts(1, 8, 1), { available: amounts(1, 1, 1) })
    const need = amounts(1, 0, 1)
    expect(named(place([full, empty], need))).toEqual({ name: 'a', nodes: [] })
    expect(named(place([empty, full, other], need))).toEqual({ name: 'c', nodes: [] })
  })
})

describe('placement of a guest with NUMA nodes', () => {
  const node: NodeRoom = { vcpus: 1, memory_mib: 1 }
  const need: CapacityNeed = { ...amounts(2, 2, 1), numa: [node, node] }
  const large = amounts(8, 8, 8)

  it('leaves out a better pool whose nodes do not fit', () => {
    const pools = [
      pool('a', amounts(99, 99, 99), { nodes: [{ vcpus: 99, memory_mib: 99 }] }),
      pool('b', large, { nodes: [{ vcpus: 0, memory_mib: 9 }, node, node] }),
    ]
    expect(named(place(pools, need))).toEqual({ name: 'b', nodes: [1, 2] })
  })

  it('is refused for the nodes alone if pools have room', () => {
    const pools = [pool('a', large), pool('b', large, { nodes: [node] }), pool('c', none, { nodes: [node, node] })]
    expect(place(pools, need)).toEqual({ kind: 'numa' })
  })

  it('is refused for the capacity first', () => {
    expect(place([pool('a', small)], need)).toEqual({
      kind: 'capacity',
      dimension: 'vcpus',
      requested: 2,
      available: 1,
    })
    const apart = [pool('a', amounts(9, 0, 9)), pool('b', amounts(0, 9, 9))]
    expect(place(apart, need)).toEqual({ kind: 'combined' })
  })

  it('ignores the nodes of pools for a need without NUMA', () => {
    const pools = [pool('a', large, { nodes: [] })]
    expect(named(place(pools, amounts(2, 2, 1)))).toEqual({ name: 'a', nodes: [] })
  })
})

describe('a shortage', () => {
  const need = amounts(4, 8, 16)

  it.each([
    ['without pools', [], 'vcpus', 0],
    ['without AVAILABLE pools', [pool('a', amounts(9, 9, 99), { isAvailable: false })], 'vcpus', 0],
    ['of vcpus', [pool('a', amounts(3, 9, 99)), pool('b', amounts(2, 9, 99))], 'vcpus', 3],
    ['of memory', [pool('a', amounts(9, 7, 99)), pool('b', amounts(9, 6, 99))], 'memory_mib', 7],
    ['of disk space', [pool('a', amounts(9, 9, 15)), pool('b', amounts(9, 9, 0))], 'disk_gib', 15],
    ['of vcpus before all', [pool('a', none)], 'vcpus', 0],
    ['of memory before disk space', [pool('a', amounts(9, 0, 0))], 'memory_mib', 0],
    ['of what AVAILABLE pools have', [pool('a', need, { isAvailable: false }), pool('b', none)], 'vcpus', 0],
    ['of what is left', [pool('a', need, { available: amounts(1, 8, 16) })], 'vcpus', 1],
  ] as const)('%s names the dimension and the most that a pool has', (_, pools, dimension, available) => {
    expect(place(pools, need)).toEqual({ kind: 'capacity', dimension, requested: need[dimension], available })
  })

  it('is combined if each dimension fits somewhere, but all of them nowhere', () => {
    expect(place([pool('a', amounts(4, 0, 0)), pool('b', amounts(0, 8, 16))], need)).toEqual({ kind: 'combined' })
  })

  it('is of vcpus without AVAILABLE pools even if no vcpus are needed', () => {
    expect(place([], none)).toEqual({ kind: 'capacity', dimension: 'vcpus', requested: 0, available: 0 })
  })

  it('leaves out a dimension of which nothing is needed', () => {
    const pools = [pool('a', none)]
    expect(place(pools, amounts(0, 8, 0))).toMatchObject({ dimension: 'memory_mib', requested: 8 })
  })
})

describe('random placements', () => {
  const isolate = (random: Random, most: number): readonly PoolRoom[] =>
    Array.from({ length: random.below(9) }, (_, number) => randomPool(random, number, most))

  it('have the outcome of the naive evaluator, in any order of the pools', () => {
    const random = seeded(6)
    const outcomes = new Map<string, number>()
    for (let round = 0; round < 20_000; round += 1) {
      const most = random.oneOf([1, 3, 10, 2 ** 53 - 1])
      const pools = isolate(random, most)
      const size = random.oneOf([0, 1, Math.ceil(most / 2), most])
      const numa = random.percent(40) ? { numa: randomNodes(random, 3, size) } : {}
      const need: CapacityNeed = { ...randomCapacity(random, size), ...numa }
      const found = named(place(pools, need))
      expect(found).toEqual(naivePlacement(pools, need))
      expect(named(place(pools.toReversed(), need))).toEqual(found)
      const outcome = 'kind' in found ? found.kind : 'placed'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    for (const kind of ['placed', 'capacity', 'combined', 'numa']) expect(outcomes.get(kind)).toBeGreaterThan(300)
  })

  it('fill pools until nothing fits, and never beyond', () => {
    const random = seeded(7)
    for (let round = 0; round < 200; round += 1) {
      let pools = isolate(random, 20).map(each => ({ ...each, available: each.allocatable }))
      for (;;) {
        const need = amounts(1 + random.below(3), random.below(4), random.below(4))
        const found = place(pools, need)
        if (found.kind !== 'placed') {
          expect(named(found)).toEqual(naivePlacement(pools, need))
          break
        }
        pools = pools.map(each => (each === found.pool ? taken(each, need) : each))
      }
      for (const { available } of pools) expect(Math.min(...Object.values(available))).toBeGreaterThanOrEqual(0)
    }
  })
})

function taken(from: PoolRoom, need: Capacity): PoolRoom & { readonly available: Capacity } {
  const { disk_gib, memory_mib, vcpus } = from.available
  const available = amounts(vcpus - need.vcpus, memory_mib - need.memory_mib, disk_gib - need.disk_gib)
  return { ...from, available }
}
