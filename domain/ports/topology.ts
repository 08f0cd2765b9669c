import type { Reader, Transaction } from './store.ts'

/** A zone as other areas see it. */
export interface KnownZone {
  readonly id: string
  readonly name: string
  readonly region: string
  /** Whether the zone takes new work: it is not cordoned, and its location is ENABLED. */
  readonly isAvailable: boolean
}

/** An ENABLED location as other areas see it. */
export interface KnownLocation {
  readonly region: string
  /** The id of the resource pool that the caller named; undefined if the location has no such pool. */
  readonly resourcePoolId?: string
}

/** A consumer of capacity: a row of another area, for example a machine. */
export interface Consumer {
  /** The type of the row: `compute.vms`. */
  readonly type: string
  readonly id: string
  /** The workspace of the row; a purge of the workspace releases the allocation. */
  readonly workspace_id?: string
}

/** The capacity that a consumer needs. All amounts are whole numbers from 0. */
export interface CapacityNeed {
  readonly vcpus: number
  readonly memory_mib: number
  readonly disk_gib: number
  /**
   * The NUMA nodes of a guest. Each guest node is pinned to a NUMA node of the host; the amounts of guest nodes are a
   * part of the amounts above.
   */
  readonly numa?: readonly { readonly vcpus: number; readonly memory_mib: number }[]
}

/** The capacity that a consumer holds. */
export interface Allocated {
  readonly kind: 'allocated'
  /** The name of the resource pool, which stays the same until the release. */
  readonly resource_pool: string
  /** The number of the NUMA node of the host for each NUMA node of the guest, in the order of the guest. */
  readonly nodes: readonly number[]
}

/** The reason why no resource pool gives the needed capacity. The calling area makes an error of each reason. */
export type Shortage =
  /**
   * No AVAILABLE pool has the amount `requested` of this dimension; `available` is the largest amount that a pool has
   * left. For a change of an allocation, `requested` is the growth, and `available` is the amount that the pool of the
   * consumer has left.
   */
  | {
      readonly kind: 'capacity'
      readonly dimension: 'vcpus' | 'memory_mib' | 'disk_gib'
      readonly requested: number
      readonly available: number
    }
  /** Each dimension fits into an AVAILABLE pool, but no AVAILABLE pool has room in all dimensions. */
  | { readonly kind: 'combined' }
  /** AVAILABLE pools have room in all dimensions, but the NUMA nodes of the guest fit into none of these pools. */
  | { readonly kind: 'numa' }

/** The result if the zone does not exist, or if the zone or the resource pool of the consumer is not AVAILABLE. */
export interface Unavailable {
  readonly kind: 'unavailable'
}

/** The name of a driver, without the prefix of its enum. */
export type DriverName = 'SIMULATED' | 'QEMU'

/** The result for a consumer that holds no capacity, because the capacity was released or never allocated. */
export interface Unallocated {
  readonly kind: 'unallocated'
}

/**
 * The functions of topology for other areas (conventions §14). All run in the transaction of the caller. `allocate`,
 * `resize`, `reallocate` and `release` share the zone, and then lock a row of the zone for the rest of the transaction,
 * so that allocations of one zone wait for each other. A caller calls these functions after the locks of its own rows,
 * subnets and quotas, before `createPort` of network, and for one zone in a transaction. If the result is not
 * `allocated`, the transaction has changed nothing.
 */
export interface Topology {
  /**
   * Returns the region with this name, in any state. A region is never deleted, so its row needs no lock. Returns
   * undefined if the region does not exist, so that each caller can throw its own error.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly id: string; readonly name: string } | undefined>
  /** Returns the name of the only region; undefined if there are several regions, or none. */
  onlyRegion(reader: Reader): Promise<string | undefined>
  /**
   * Returns the multi-region with this name and shares its row, so that no other transaction deletes the multi-region
   * or removes a region from it before the caller has recorded a reference to `topology.multiRegions`. Returns
   * undefined if the multi-region does not exist.
   */
  requireMultiRegion(
    tx: Transaction,
    name: string,
  ): Promise<{ readonly id: string; readonly regions: readonly string[] } | undefined>
  /**
   * Returns the zone with this name, and shares the rows of the zone and of its location. Until the end of the
   * transaction, `isAvailable` does not change, and no other transaction deletes the zone. Returns undefined if the
   * zone does not exist.
   */
  requireZone(tx: Transaction, name: string): Promise<KnownZone | undefined>
  /**
   * Returns the location with this name and shares its row, so that the location stays ENABLED until the end of the
   * transaction. With `resourcePool`, also shares the pool of this name, so that the caller can record a reference to
   * `topology.resourcePools`. Returns undefined if the location does not exist or is not ENABLED.
   */
  requireLocation(tx: Transaction, name: string, resourcePool?: string): Promise<KnownLocation | undefined>
  /**
   * Returns the name of the location that the bootstrap of topology created; undefined if the bootstrap created none,
   * or if the location is not ENABLED.
   */
  firstLocation(reader: Reader): Promise<string | undefined>
  /**
   * Allocates capacity in a resource pool of the zone with this name (topology.md 4): of the AVAILABLE pools with room,
   * the pool with the highest share of memory left, then the first by name. Throws an error if the consumer holds
   * capacity already.
   */
  allocate(
    tx: Transaction,
    zone: string,
    need: CapacityNeed,
    consumer: Consumer,
  ): Promise<Allocated | Shortage | Unavailable>
  /**
   * Changes the capacity that a consumer holds to this need, in the same pool and whatever the states of zone and pool.
   * If the NUMA nodes of the guest differ from the nodes before, all of them are pinned anew; a need without NUMA nodes
   * pins none. A repeat changes nothing.
   */
  resize(tx: Transaction, consumer: Consumer, need: CapacityNeed): Promise<Allocated | Shortage | Unallocated>
  /**
   * Changes the capacity and returns the result as `resize` does, but only if the zone and the pool are AVAILABLE; for
   * a consumer that begins to run again.
   */
  reallocate(
    tx: Transaction,
    consumer: Consumer,
    need: CapacityNeed,
  ): Promise<Allocated | Shortage | Unavailable | Unallocated>
  /** Returns the driver of the deployment target below the resource pool of this name; undefined if there is none. */
  driverOf(reader: Reader, resourcePool: string): Promise<DriverName | undefined>
  /** Gives back the capacity of a consumer, whatever the states. Does nothing if the consumer holds none. */
  release(tx: Transaction, consumer: Consumer): Promise<void>
}
