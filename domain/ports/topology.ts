import type { Transaction } from './store.ts'

/** The functions of topology for other areas (conventions §14). */
export interface Topology {
  /**
   * The region of this name, AVAILABLE or not, held against its deletion; undefined when there is none, so that each
   * caller answers its own error.
   */
  requireRegion(tx: Transaction, name: string): Promise<{ readonly name: string } | undefined>
}
