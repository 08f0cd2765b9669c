import type { Transaction } from './store.ts'

/** A zone as other areas see it. */
export interface KnownZone {
  readonly id: string
  readonly name: string
  readonly region: string
  /** Whether the zone takes new work: it is not cordoned, and its location is ENABLED. */
  readonly isAvailable: boolean
}

/** The functions of topology for other areas (conventions §14). */
export interface Topology {
  /**
   * Returns the region with this name, in any state. A region is never deleted, so its row needs no lock. Returns
   * undefined if the region does not exist, so that each caller can throw its own error.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly id: string; readonly name: string } | undefined>
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
}
