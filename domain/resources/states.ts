import type { ApiError, DetailsWith } from '../../runtime/errors.ts'
import type { Row } from './row.ts'

/** A change of state by a verb: for example, `start` leads from STOPPED or ERROR to STARTING. */
export interface Transition {
  /** The type that the operation records: `START`. */
  readonly type: string
  /** The states that allow the verb, with the prefix of the enum. */
  readonly from: readonly string[]
  /** The state after the verb, with the prefix of the enum; absent: the state stays. */
  readonly to?: string
}

/** The state verbs of a kind as one table, with a row for each verb. */
export interface StateTable<T> {
  /** The member that holds the state. */
  readonly member: keyof T & string
  /** Verbs such as `start`; also `update` and `delete` if only some states allow them. */
  readonly transitions: Readonly<Record<string, Transition>>
  /** Returns the error for a row on which work is in progress, in any state; undefined if no work is in progress. */
  readonly busy?: (row: T) => ApiError | undefined
  /** Makes the kind's error `*_STATE_INVALID`. */
  readonly invalid: (message: string, state: StateFault, details: DetailsWith<'precondition' | 'resource'>) => ApiError
}

/** The metadata of an error `*_STATE_INVALID`; several states are joined by commas. */
export interface StateFault {
  readonly current: string
  readonly allowed: string
}

/** Returns the row of a verb in a table of states; undefined if the table has no such verb. */
export const transitionOf = (
  { transitions }: Pick<StateTable<never>, 'transitions'>,
  verb: string,
): Transition | undefined => (Object.hasOwn(transitions, verb) ? transitions[verb] : undefined)

/**
 * Throws the kind's `*_STATE_INVALID` unless the state of a row allows the verb, and the error of `busy` if work on the
 * row is in progress. A verb without a row in the table is always allowed.
 */
export function requireState<T extends Row>(
  kind: { readonly type: string; readonly noun: string; readonly states?: StateTable<T> },
  row: T,
  verb: string,
): void {
  const { noun, states, type } = kind
  const transition = states && transitionOf(states, verb)
  if (!states || !transition) return
  const busy = states.busy?.(row)
  if (busy) throw busy
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
