import type { Overcommit } from '../../../output/topology/types.ts'

/**
 * Amounts of the three resources: whole numbers below 2^53, from 0 in rows and requests, and also negative in
 * differences.
 */
export interface Capacity {
  readonly vcpus: number
  readonly memory_mib: number
  readonly disk_gib: number
}

/** The dimensions of a capacity. A shortage names the first short dimension in this order (topology.md 4). */
export const dimensions = ['vcpus', 'memory_mib', 'disk_gib'] as const

/** The name of a dimension of a capacity. */
export type Dimension = (typeof dimensions)[number]

/** The members of a resource pool from which its allocatable capacity follows. */
export interface Inventory {
  readonly capacity: Capacity
  /** The part of the capacity that consumers never get; at most the capacity. */
  readonly reserved: Capacity
  /** The factor of each dimension, with at most two decimals: 1.5, not 150. */
  readonly overcommit: Readonly<Overcommit>
}

/**
 * Returns floor((capacity - reserved) x overcommit) for each dimension. The limits of the interface keep the result
 * below 2^53 and therefore exact: an amount is below 2^49, and a factor is at most 16.
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

/** Returns `from` less `other`; a dimension in which `other` has more is negative. */
export const minus = (from: Capacity, other: Capacity): Capacity =>
  eachDimension(dimension => from[dimension] - other[dimension])

/** Returns whether the room has at least the needed amount in each dimension. */
export const fits = (need: Capacity, room: Capacity): boolean =>
  // Placement calls `fits` for each pool of a zone. A loop over the dimensions would take several times as long.
  need.vcpus <= room.vcpus && need.memory_mib <= room.memory_mib && need.disk_gib <= room.disk_gib

/** Returns the first dimension in which the need exceeds the room; undefined if the need fits. */
export const firstShort = (need: Capacity, room: Capacity): Dimension | undefined =>
  dimensions.find(dimension => need[dimension] > room[dimension])

function eachDimension(amountOf: (dimension: Dimension) => number): Capacity {
  return { vcpus: amountOf('vcpus'), memory_mib: amountOf('memory_mib'), disk_gib: amountOf('disk_gib') }
}
