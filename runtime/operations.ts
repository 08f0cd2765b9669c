/** What every area's operation record has in common (conventions §5); `status` ends with one of the states below. */
export interface OperationRecord {
  readonly id: string
  /** With the area's prefix: `TAXONOMY_OPERATION_STATUS_DONE`. */
  readonly status: string
  readonly errors?: readonly { readonly code?: number; readonly description?: string; readonly reason?: string }[]
  readonly warnings?: readonly { readonly code?: number; readonly description?: string }[]
  /** Percent; never falls, 100 at DONE. */
  readonly progress?: number
}

/** From each state, where it may go: forward only, and nowhere from an end. */
export const operationTransitions = {
  PENDING: ['RUNNING', 'DONE', 'ERROR'],
  RUNNING: ['DONE', 'ERROR'],
  DONE: [],
  ERROR: [],
} as const satisfies Record<string, readonly string[]>

export type OperationState = keyof typeof operationTransitions

/** The state that a record's status names, whatever its area; undefined when it is a newer one. */
export function stateOf(record: OperationRecord): OperationState | undefined {
  const name = record.status.slice(record.status.lastIndexOf('_') + 1)
  return isState(name) ? name : undefined
}

/** True when an operation may go from one state to the other. */
export function mayBecome(from: OperationState, to: OperationState): boolean {
  const next: readonly OperationState[] = operationTransitions[from]
  return next.includes(to)
}

/** True when nothing will happen any more: DONE or ERROR. */
export function isEnded(record: OperationRecord): boolean {
  const state = stateOf(record)
  return state === 'DONE' || state === 'ERROR'
}

const isState = (name: string): name is OperationState => Object.hasOwn(operationTransitions, name)
