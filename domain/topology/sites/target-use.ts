import type { Transaction } from '../../ports/store.ts'
import type { StoredTarget } from './targets-store.ts'

/** The resource pools of targets, as far as changes of targets concern them. */
export interface TargetUse {
  /**
   * Throws DEPLOYMENT_TARGET_CAPACITY_IN_USE unless the pools of a target fit into it as it will be, in capacity and,
   * where it declares nodes, in each NUMA node. The caller has locked the target.
   */
  readonly requireRoom: (tx: Transaction, target: StoredTarget) => Promise<void>
  /** Is told, in the transaction of the change, that the probe of a target has another result than before. */
  readonly probed: (tx: Transaction, name: string) => Promise<void>
}
