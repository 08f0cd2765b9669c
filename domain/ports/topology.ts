import type { Transaction } from './store.ts'

/** The functions of topology for other areas (conventions §14). */
export interface Topology {
  /**
   * Returns the region with this name in any state, and shares its row, so that no other transaction deletes the
   * region. Returns undefined if the region does not exist, so that each caller can throw its own error.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly name: string } | undefined>
}
