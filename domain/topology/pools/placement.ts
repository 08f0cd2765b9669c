import type { CapacityNeed, Shortage } from '../../ports/topology.ts'
import { compareText } from '../../../runtime/filter/fields.ts'
import { dimensions, fits, type Capacity } from './capacity.ts'
import { compareFractions, type Fraction } from './fraction.ts'
import { nodeAssigner, type NodeRoom } from './numa.ts'

/** The facts of a resource pool that placement needs. */
export interface PoolRoom {
  readonly id: string
  /** The name, which is unique among the pools. */
  readonly name: string
  /** Whether the pool accepts new consumers: the pool is not cordoned, and the last probe of its target has passed. */
  readonly isAvailable: boolean
  readonly allocatable: Capacity
  /** The allocatable capacity less the allocated capacity. */
  readonly available: Capacity
  /** The NUMA nodes from number 0: the capacity of each node less the pinned use; empty for a pool without nodes. */
  readonly nodes: readonly NodeRoom[]
}

/** The pool in which a consumer is placed. */
export interface Placement {
  readonly kind: 'placed'
  readonly pool: PoolRoom
  /** The number of the host node of each guest node, in the order of the guest; empty without NUMA. */
  readonly nodes: readonly number[]
}

/**
 * Chooses the pool of a consumer (topology.md 4): of the available pools in which every dimension and the NUMA nodes
 * fit, the pool with the highest share of memory left after the placement, then the first by name in the order of code
 * points. The result does not depend on the order of the pools. Returns the shortage if no pool fits.
 */
export function place(pools: readonly PoolRoom[], need: CapacityNeed): Placement | Shortage {
  const roomiest = bestOf(pools, need, () => true)
  if (!roomiest) return shortageOf(pools, need)
  if (!need.numa) return { kind: 'placed', pool: roomiest, nodes: [] }
  // The search for nodes takes more time than the comparison of pools. Therefore the nodes of all pools are searched
  // only if the nodes of the roomiest pool do not fit.
  const guest = nodeAssigner(need.numa)
  const best = guest.isAssignable(roomiest.nodes) ? roomiest : bestOf(pools, need, guest.isAssignable)
  const nodes = best && guest.assign(best.nodes)
  return best && nodes ? { kind: 'placed', pool: best, nodes } : { kind: 'numa' }
}

/**
 * Returns the best of the available pools in which every dimension fits and whose nodes are accepted; undefined if
 * there is no such pool.
 */
function bestOf(
  pools: readonly PoolRoom[],
  need: CapacityNeed,
  isAccepted: (nodes: PoolRoom['nodes']) => boolean,
): PoolRoom | undefined {
  let best: PoolRoom | undefined
  let bestShare: Fraction = { numerator: 0, denominator: 1 }
  for (const pool of pools) {
    if (!pool.isAvailable || !fits(need, pool.available)) continue
    const share = shareLeft(pool, need)
    if (best && !isBetter(pool, share, best, bestShare)) continue
    if (!isAccepted(pool.nodes)) continue
    best = pool
    bestShare = share
  }
  return best
}

function isBetter(pool: PoolRoom, share: Fraction, best: PoolRoom, bestShare: Fraction): boolean {
  return (compareFractions(bestShare, share) || compareText(pool.name, best.name)) < 0
}

/** Returns the share of its memory that a pool has left after the placement; 0 for a pool without memory. */
function shareLeft({ allocatable, available }: PoolRoom, need: CapacityNeed): Fraction {
  return { numerator: available.memory_mib - need.memory_mib, denominator: Math.max(1, allocatable.memory_mib) }
}

/** Returns the shortage of pools; no available pool has room in every dimension. */
function shortageOf(pools: readonly PoolRoom[], need: CapacityNeed): Shortage {
  const open = pools.filter(({ isAvailable }) => isAvailable)
  if (open.length === 0) return { kind: 'capacity', dimension: 'vcpus', requested: need.vcpus, available: 0 }
  for (const dimension of dimensions) {
    const available = open.reduce((most, pool) => Math.max(most, pool.available[dimension]), 0)
    const requested = need[dimension]
    if (available < requested) return { kind: 'capacity', dimension, requested, available }
  }
  return { kind: 'combined' }
}
