import type { Transaction } from './store.ts'

/** The functions of topology for other areas (conventions §14). */
export interface Topology {
  /**
   * Returns the region of this name, AVAILABLE or not, and shares its row so that it is not deleted meanwhile. Returns
   * undefined if there is none, so that each caller throws an error of its own.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly name: string } | undefined>
}
