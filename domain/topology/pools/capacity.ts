import type { Overcommit } from '../../../output/topology/types.ts'

/** Amounts of the three resources, each a whole number from 0 to below 2^53. */
export interface Capacity {
  readonly vcpus: number
  readonly memory_mib: number
  readonly disk_gib: number
}

/** The dimensions of a capacity, in the order in which a shortage names the first of them (topology.md 4). */
export const dimensions = ['vcpus', 'memory_mib', 'disk_gib'] as const

export type Dimension = (typeof dimensions)[number]

/** The members of a resource pool from which its allocatable capacity follows. */
export interface Inventory {
  readonly capacity: Capacity
  /** At most the capacity. */
  readonly reserved: Capacity
  /** Factors with at most two decimals, as the interface has them: 1.5, not 150. */
  readonly overcommit: Readonly<Overcommit>
}

/**
 * Returns floor((capacity - reserved) x overcommit) of each dimension. The result is exact where it is below 2^53, which
 * the limits of the interface ensure: an amount is below 2^49 and a factor at most 16.
 */
export function allocatableOf({ capacity, overcommit, reserved }: Inventory): Capacity {
  return eachDimension(dimension => {
    // The product in hundredths may be above 2^53, where numbers are no longer exact.
    const hundredths = BigInt(Math.round(overcommit[dimension] * 100))
    return Number((BigInt(capacity[dimension] - reserved[dimension]) * hundredths) / 100n)
  })
}

/** Returns the sum of two capacities. */
export const plus = (one: Capacity, other: Capacity): Capacity =>
  eachDimension(dimension => one[dimension] + other[dimension])

/** Returns a capacity less another; a dimension of which the other has more is negative. */
export const minus = (from: Capacity, other: Capacity): Capacity =>
  eachDimension(dimension => from[dimension] - other[dimension])

/** Tells whether the room has as much as is needed, in each dimension. */
export const fits = (need: Capacity, room: Capacity): boolean =>
  // Placement asks this of each pool of a zone; a loop over the dimensions takes several times as long.
  need.vcpus <= room.vcpus && need.memory_mib <= room.memory_mib && need.disk_gib <= room.disk_gib

/** Returns the first dimension in which more is needed than the room has; undefined if the need fits. */
export const firstShort = (need: Capacity, room: Capacity): Dimension | undefined =>
  dimensions.find(dimension => need[dimension] > room[dimension])

function eachDimension(amountOf: (dimension: Dimension) => number): Capacity {
  return { vcpus: amountOf('vcpus'), memory_mib: amountOf('memory_mib'), disk_gib: amountOf('disk_gib') }
}
