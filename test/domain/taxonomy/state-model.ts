/** The verbs on nodes. This module models the specification of the states, independently of the code under test. */
export const verbs = ['suspend', 'resume', 'archive', 'restore'] as const
export type Verb = (typeof verbs)[number]

/** A node's own state. */
export type OwnState = 'ACTIVE' | 'SUSPENDED' | 'ARCHIVED' | 'DELETING'

/** A node's own state, and for an archived node the state before. */
export interface NodeLife {
  readonly state: OwnState
  readonly before?: OwnState
}

/** Returns the states of a node after a verb; undefined if the verb is refused. */
export function after({ state, before = 'ACTIVE' }: NodeLife, verb: Verb): NodeLife | undefined {
  if (verb === 'suspend') return state === 'ACTIVE' ? { state: 'SUSPENDED' } : undefined
  if (verb === 'resume') return state === 'SUSPENDED' ? { state: 'ACTIVE' } : undefined
  if (verb === 'restore') return state === 'ARCHIVED' ? { state: before } : undefined
  return state === 'ACTIVE' || state === 'SUSPENDED' ? { state: 'ARCHIVED', before: state } : undefined
}

/**
 * Returns the possible states of a node after verbs in this order; undefined if a verb would have another result in
 * this order.
 */
export function walk(
  life: NodeLife,
  order: readonly { readonly verb: Verb; readonly outcome: string | undefined }[],
): readonly NodeLife[] | undefined {
  let now = life
  for (const { outcome, verb } of order) {
    const next = after(now, verb)
    if ((next === undefined ? 'GROUP_STATE_INVALID' : 'OK') !== outcome) return undefined
    now = next ?? now
  }
  return [now]
}

/** Returns all orders of a few things. */
export function permutations<T>(things: readonly T[]): readonly (readonly T[])[] {
  if (things.length < 2) return [things]
  return things.flatMap((thing, i) => permutations(things.toSpliced(i, 1)).map(rest => [thing, ...rest]))
}
