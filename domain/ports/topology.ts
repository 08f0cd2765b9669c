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
   * Returns the region with this name in any state, and shares its row, so that no other transaction deletes the
   * region. Returns undefined if the region does not exist, so that each caller can throw its own error.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly id: string; readonly name: string } | undefined>
  /**
   * Returns the multi-region of this name and shares its row, so that it is not deleted and loses no region until the
   * caller has recorded its reference to `topology.multiRegions`. Returns undefined if there is none.
   */
  requireMultiRegion(
    tx: Transaction,
    name: string,
  ): Promise<{ readonly id: string; readonly regions: readonly string[] } | undefined>
  /**
   * Returns the zone of this name, and shares its location and its row: whether it is available stays true until the
   * end of the transaction, and the zone is not deleted before the caller has recorded its reference to
   * `topology.zones`. Returns undefined if there is none.
   */
  requireZone(tx: Transaction, name: string): Promise<KnownZone | undefined>
}
