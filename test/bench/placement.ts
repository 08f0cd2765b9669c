import type { NodeRoom } from '../../domain/topology/pools/numa.ts'
import type { CapacityNeed } from '../../domain/ports/topology.ts'
import { place, type PoolRoom } from '../../domain/topology/pools/placement.ts'
import { seeded } from '../areas/random.ts'
import { naivePlacement } from '../domain/topology/pools/naive-placement.ts'
import { measure } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'

/**
 * This program prints the CPU time of one placement over 10,000 pools of a zone that are in memory: pools in use, equal
 * empty pools, amounts near 2^53, the least room first, and guests of eight NUMA nodes that fit somewhere or fail at
 * the last node. The limit is 2 ms a placement. The same run also measures a peer: the naive evaluator of the tests,
 * which sorts by big integers.
 */

const limitNs = 2e6
const poolCount = 10_000

const random = seeded(17)

interface World {
  readonly name: string
  readonly pools: readonly PoolRoom[]
  readonly need: CapacityNeed
}

const need: CapacityNeed = { vcpus: 4, memory_mib: 16_384, disk_gib: 100 }
const whole = { vcpus: 512, memory_mib: 2_097_152, disk_gib: 65_536 }

const pool = (i: number, rest: Partial<PoolRoom> = {}): PoolRoom => ({
  id: `pool-${i}`,
  name: `pool-${i}`,
  isAvailable: true,
  allocatable: whole,
  available: { ...whole },
  nodes: [],
  ...rest,
})

const poolsOf = (make: (i: number) => PoolRoom): readonly PoolRoom[] =>
  Array.from({ length: poolCount }, (_, i) => make(i))

/** Returns a pool with a random size and a random part in use. */
function inUse(i: number): PoolRoom {
  const allocatable = { ...whole, memory_mib: 65_536 * (1 + random.below(32)) }
  const available = {
    vcpus: random.below(allocatable.vcpus),
    memory_mib: random.below(allocatable.memory_mib),
    disk_gib: random.below(allocatable.disk_gib),
  }
  return pool(i, { allocatable, available, isAvailable: random.percent(90) })
}

/**
 * Returns a pool whose share of memory equals that of the other pools as a float, with slightly more memory than the
 * pool before.
 */
function huge(i: number): PoolRoom {
  const memory_mib = Number.MAX_SAFE_INTEGER - poolCount + i
  return pool(i, { allocatable: { ...whole, memory_mib }, available: { ...whole, memory_mib } })
}

/** Returns a pool that is a better choice than the pool before. */
const leastRoomFirst = (i: number): PoolRoom => pool(i, { available: { ...whole, memory_mib: 1_000_000 + i } })

const nodes = (count: number, memory_mib: number): NodeRoom[] =>
  Array.from({ length: count }, () => ({ vcpus: 32, memory_mib }))

/** Returns a pool of sixteen nodes, all of which the search tries in vain for the last of eight guest nodes. */
const allButOne = (i: number): PoolRoom => ({
  ...leastRoomFirst(i),
  nodes: [...nodes(9, 1000), ...nodes(7, 4000)],
})

/**
 * A guest of eight nodes, each of which needs less memory than the node before; so the search tries all nodes of the
 * pool again for each guest node.
 */
const descending: CapacityNeed = {
  ...need,
  numa: Array.from({ length: 8 }, (_, i) => ({ vcpus: 16, memory_mib: 3000 - i })),
}

const guest: CapacityNeed = { vcpus: 64, memory_mib: 16_384, disk_gib: 100, numa: nodes(8, 2048) }

const worlds: readonly World[] = [
  { name: 'pools in use', pools: poolsOf(inUse), need },
  { name: 'equal empty pools', pools: poolsOf(pool), need },
  { name: 'pools of almost 2^53 MiB, alike as floats', pools: poolsOf(huge), need },
  { name: 'pools, the least room first', pools: poolsOf(leastRoomFirst), need },
  { name: 'pools without room', pools: poolsOf(pool), need: { ...need, vcpus: 1000 } },
  {
    name: 'pools with 16 NUMA nodes, the least room first',
    pools: poolsOf(i => ({ ...leastRoomFirst(i), nodes: nodes(16, 131_072) })),
    need: guest,
  },
  { name: 'pools with 16 NUMA nodes, of which one is missing', pools: poolsOf(allButOne), need: guest },
  { name: 'such pools, and guest nodes of different sizes', pools: poolsOf(allButOne), need: descending },
]

for (const { name, need: wanted, pools } of worlds) {
  const found = place(pools, wanted)
  const outcome = found.kind === 'placed' ? { name: found.pool.name, nodes: found.nodes } : found
  const [fast, slow] = [JSON.stringify(outcome), JSON.stringify(naivePlacement(pools, wanted))]
  if (fast !== slow) throw new Error(`the evaluators differ: ${fast}, ${slow}`)
  const [placed = 0, naive = 0] = await measure([
    { name: 'place', units: 1, run: () => place(pools, wanted) },
    { name: 'the naive evaluator', units: 1, run: () => naivePlacement(pools, wanted) },
  ])
  printGroup(`${poolCount.toLocaleString('en')} ${name}, a placement`, [
    ['place', placed],
    ['limit', limitNs],
    ['the naive evaluator of the tests', naive],
  ])
  if (placed > limitNs) process.exitCode = 1
}
