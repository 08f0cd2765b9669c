import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { WorkOrder } from '../../ports/procedures.ts'
import type { Scope } from '../../ports/scope.ts'

/**
 * The input of the work after a change of state: each area applies the new state in the workspaces at and below the
 * node.
 */
export interface CascadeInput {
  readonly organisation: string
  readonly scope: Scope
  /** The new state of the node, and its `state_change_time`. */
  readonly state: LifecycleState
  readonly time: string
}

/** The root of the subtree that a cascade covers. */
export type Subtree = Omit<CascadeInput, 'state' | 'time'>

/** The kind of the work after a change of state. */
export const cascadeKind = 'taxonomy.lifecycle'
/** The kind of the work after a move. */
export const catchUpKind = 'taxonomy.catchUp'

/** Returns the order for the work after a change of state. */
export const cascade = (input: CascadeInput): WorkOrder => ({ kind: cascadeKind, input })

/**
 * Returns the order for the work after a move. A cascade in progress may miss workspaces that the move took to another
 * place; this work covers these workspaces.
 */
export const catchUp = (input: Subtree): WorkOrder => ({ kind: catchUpKind, input })
