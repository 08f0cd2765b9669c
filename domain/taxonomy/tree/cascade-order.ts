import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { WorkOrder } from '../../ports/procedures.ts'
import type { Scope } from '../../ports/scope.ts'

/** The work after a change of state: each area follows the new state in the workspaces at and below the node. */
export interface CascadeInput {
  readonly organisation: string
  readonly scope: Scope
  /** The new state of the node, and its `state_change_time`. */
  readonly state: LifecycleState
  readonly time: string
}

/** The root of the subtree that a cascade covers. */
export type Subtree = Omit<CascadeInput, 'state' | 'time'>

export const cascadeKind = 'taxonomy.lifecycle'
export const catchUpKind = 'taxonomy.catchUp'

export const cascade = (input: CascadeInput): WorkOrder => ({ kind: cascadeKind, input })

/**
 * The work after a move. A cascade may miss workspaces that the move took to another place, so they are followed here.
 */
export const catchUp = (input: Subtree): WorkOrder => ({ kind: catchUpKind, input })
