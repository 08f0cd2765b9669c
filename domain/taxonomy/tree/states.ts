import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import type { NodeState } from '../../ports/taxonomy.ts'

/** The states of nodes, the strictest last (taxonomy.md §1). */
export const states = [
  'TAXONOMY_LIFECYCLE_STATE_ACTIVE',
  'TAXONOMY_LIFECYCLE_STATE_SUSPENDED',
  'TAXONOMY_LIFECYCLE_STATE_ARCHIVED',
  'TAXONOMY_LIFECYCLE_STATE_DELETING',
] as const satisfies readonly LifecycleState[]

/** A state that a node can have. */
export type State = (typeof states)[number]

/** The single states, for use in code. */
export const [active, suspended, archived, deleting] = states

const strictnesses: ReadonlyMap<LifecycleState, number> = new Map(states.map((state, i) => [state, i]))

/** Returns the strictness of a state: 0 for ACTIVE, greater for stricter states, and -1 for an unset state. */
export const strictness = (state: LifecycleState): number => strictnesses.get(state) ?? -1

/** Returns the states whose strictness is less than `ceiling`. */
export const statesBelow = (ceiling: number): readonly State[] => states.slice(0, ceiling)

const bareStates: Readonly<Record<State, NodeState>> = {
  TAXONOMY_LIFECYCLE_STATE_ACTIVE: 'ACTIVE',
  TAXONOMY_LIFECYCLE_STATE_SUSPENDED: 'SUSPENDED',
  TAXONOMY_LIFECYCLE_STATE_ARCHIVED: 'ARCHIVED',
  TAXONOMY_LIFECYCLE_STATE_DELETING: 'DELETING',
}

/** Returns a state in the form that other areas use. An unset state counts as ACTIVE. */
export const bareState = (state: LifecycleState): NodeState =>
  state === 'TAXONOMY_LIFECYCLE_STATE_UNSPECIFIED' ? 'ACTIVE' : bareStates[state]
