import type { Capacity, Inventory } from '../../../../domain/topology/pools/capacity.ts'
import type { NodeRoom } from '../../../../domain/topology/pools/numa.ts'
import type { CapacityNeed } from '../../../../domain/ports/topology.ts'
import type { PoolRoom } from '../../../../domain/topology/pools/placement.ts'

/** The outcome of a naive placement: the name of the pool and the indexes of the host nodes, or the shortage. */
export type NaiveOutcome =
  | { readonly name: string; readonly nodes: readonly number[] }
  | { readonly kind: 'capacity'; readonly dimension: string; readonly requested: number; readonly available: number }
  | { readonly kind: 'combined' | 'numa' }

const amountsOf = ({ disk_gib, memory_mib, vcpus }: Capacity): readonly (readonly [string, number])[] => [
  ['vcpus', vcpus],
  ['memory_mib', memory_mib],
  ['disk_gib', disk_gib],
]

/**
 * Returns one dimension of the allocatable capacity, by a multiplication of big integers with the decimal digits of the
 * overcommit factor.
 */
export function naiveAllocatable({ capacity, overcommit, reserved }: Inventory, dimension: keyof Capacity): number {
  const [whole = '', decimals = ''] = String(overcommit[dimension]).split('.')
  const factor = BigInt(whole + decimals.padEnd(2, '0'))
  const product = (BigInt(capacity[dimension]) - BigInt(reserved[dimension])) * factor
  return Number(String(product).slice(0, -2))
}

/**
 * Returns the index of the host node of each guest node; undefined if a guest node finds no host node. The guest node
 * with the most memory, then the most vcpus, takes the first free host node with room; then the next guest node.
 */
export function naiveNodes(rooms: readonly NodeRoom[], guest: readonly NodeRoom[]): readonly number[] | undefined {
  const assigned = new Map<number, number>()
  while (assigned.size < guest.length) {
    let turn = -1
    for (const [i, node] of guest.entries()) {
      if (assigned.has(i)) continue
      const first = guest[turn]
      const isLarger =
        first === undefined ||
        node.memory_mib > first.memory_mib ||
        (node.memory_mib === first.memory_mib && node.vcpus > first.vcpus)
      if (isLarger) turn = i
    }
    const used = new Set(assigned.values())
    const need = guest[turn]
    const host = rooms.findIndex(
      (room, i) => !used.has(i) && need !== undefined && room.vcpus >= need.vcpus && room.memory_mib >= need.memory_mib,
    )
    if (host === -1) return undefined
    assigned.set(turn, host)
  }
  return guest.map((_, i) => assigned.get(i) ?? -1)
}

/**
 * Returns the best pool: the available pool with room that keeps the largest share of its memory, then the first by
 * name. Returns the shortage if no pool fits. The shares are compared as fractions of big integers.
 */
export function naivePlacement(pools: readonly PoolRoom[], need: CapacityNeed): NaiveOutcome {
  const open = pools.filter(pool => pool.isAvailable)
  const roomy = open.filter(({ available }) => {
    const room = new Map(amountsOf(available))
    return amountsOf(need).every(([dimension, amount]) => amount <= (room.get(dimension) ?? 0))
  })
  const candidates = roomy
    .map(({ allocatable, available, name, nodes }) => ({
      name,
      nodes: need.numa ? naiveNodes(nodes, need.numa) : [],
      left: BigInt(available.memory_mib) - BigInt(need.memory_mib),
      whole: allocatable.memory_mib === 0 ? 1n : BigInt(allocatable.memory_mib),
    }))
    .flatMap(({ nodes, ...rest }) => (nodes ? [{ nodes, ...rest }] : []))
    .sort((a, b) => {
      const [one, other] = [a.left * b.whole, b.left * a.whole]
      if (one !== other) return one > other ? -1 : 1
      return Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))
    })
  const [first] = candidates
  if (first) return { name: first.name, nodes: first.nodes }
  if (roomy.length > 0) return { kind: 'numa' }
  if (open.length === 0) return { kind: 'capacity', dimension: 'vcpus', requested: need.vcpus, available: 0 }
  for (const [dimension, requested] of amountsOf(need)) {
    const amounts = open.map(({ available }) => new Map(amountsOf(available)).get(dimension) ?? 0)
    const [available = 0] = amounts.toSorted((a, b) => b - a)
    if (requested > available) return { kind: 'capacity', dimension, requested, available }
  }
  return { kind: 'combined' }
}
