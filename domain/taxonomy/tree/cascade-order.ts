import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { WorkOrder } from '../../ports/procedures.ts'
import type { Scope } from '../../ports/scope.ts'

/** What a change of state leaves to be done: the areas follow it in the workspaces at and below a node. */
export interface CascadeInput {
  readonly organisation: string
  readonly scope: Scope
  /** The state that the node was given, and when: the `state_change_time` of that change. */
  readonly state: LifecycleState
  readonly time: string
}

/** The subtree that a cascade goes over. */
export type Subtree = Omit<CascadeInput, 'state' | 'time'>

export const cascadeKind = 'taxonomy.lifecycle'
export const catchUpKind = 'taxonomy.catchUp'

export const cascade = (input: CascadeInput): WorkOrder => ({ kind: cascadeKind, input })

/** What a move leaves to be done when it may have taken workspaces out of the way of a cascade: they are followed here. */
export const catchUp = (input: Subtree): WorkOrder => ({ kind: catchUpKind, input })
