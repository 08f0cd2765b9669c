import type { Transaction } from '../../ports/store.ts'
import type { StoredTarget } from './targets-store.ts'

/** The functions that connect changes of deployment targets with their resource pools. */
export interface TargetUse {
  /**
   * Throws DEPLOYMENT_TARGET_CAPACITY_IN_USE unless the pools of a target fit into `target`, which has the new members:
   * into its capacity and, if it declares NUMA nodes, into each node. The caller has locked the target.
   */
  readonly requireRoom: (tx: Transaction, target: StoredTarget) => Promise<void>
  /**
   * Reports that a probe of the target with this name has another result than before, in the transaction of the change.
   */
  readonly probed: (tx: Transaction, name: string) => Promise<void>
}
