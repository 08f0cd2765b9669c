import type { ApiError, ErrorDetails } from '../../runtime/errors.ts'
import type { Row } from './kind.ts'

/** One change of state: `start` leads from STOPPED or ERROR to STARTING. */
export interface Transition {
  /** What the operation records: `START`. */
  readonly type: string
  /** The states that allow the call, with the prefix of the enum. */
  readonly from: readonly string[]
  /** The state that the call leads to, with the prefix of the enum; absent: the state stays. */
  readonly to?: string
}

/** The states of a kind as one table: each verb is a row. */
export interface StateTable<T> {
  /** The member that holds the state. */
  readonly member: keyof T & string
  /** `start`, and also `update` and `delete` where only some states allow them. */
  readonly transitions: Readonly<Record<string, Transition>>
  /** The kind's `*_STATE_INVALID`. */
  readonly invalid: (message: string, state: StateFault, details: ErrorDetails) => ApiError
}

/** What the metadata of a `*_STATE_INVALID` says; several states are joined by commas. */
export interface StateFault {
  readonly current: string
  readonly allowed: string
}

/** The row of a verb in a table of states; undefined for a verb that the table lacks. */
export const transitionOf = (
  { transitions }: Pick<StateTable<never>, 'transitions'>,
  verb: string,
): Transition | undefined => (Object.hasOwn(transitions, verb) ? transitions[verb] : undefined)

/** Throws the kind's `*_STATE_INVALID` unless the state of a row allows the verb; a verb that the table lacks is always allowed. */
export function requireState<T extends Row>(
  kind: { readonly type: string; readonly noun: string; readonly states?: StateTable<T> },
  row: T,
  verb: string,
): void {
  const { noun, states, type } = kind
  const transition = states && transitionOf(states, verb)
  if (!states || !transition) return
  const current = String(row[states.member])
  if (transition.from.includes(current)) return
  const wanted = transition.from.join(' or ')
  const message = `${noun} ${row.id} is ${current}; ${verb} needs ${wanted}`
  throw states.invalid(
    message,
    { current, allowed: transition.from.join(',') },
    {
      resource: { type, name: row.id },
      precondition: [{ type: 'STATE', subject: row.id, description: `the state must be ${wanted}` }],
    },
  )
}
