/** The states that verbs lead to, as the text of the area has them: independent of the code that is tested. */
export const verbs = ['suspend', 'resume', 'archive', 'restore'] as const
export type Verb = (typeof verbs)[number]

/** A node's own state. */
export type OwnState = 'ACTIVE' | 'SUSPENDED' | 'ARCHIVED' | 'DELETING'

/** A node's own state, and while it is archived the one before. */
export interface NodeLife {
  readonly state: OwnState
  readonly before?: OwnState
}

/** The result of a verb on a node; undefined if it is refused. */
export function after({ state, before = 'ACTIVE' }: NodeLife, verb: Verb): NodeLife | undefined {
  if (verb === 'suspend') return state === 'ACTIVE' ? { state: 'SUSPENDED' } : undefined
  if (verb === 'resume') return state === 'SUSPENDED' ? { state: 'ACTIVE' } : undefined
  if (verb === 'restore') return state === 'ARCHIVED' ? { state: before } : undefined
  return state === 'ACTIVE' || state === 'SUSPENDED' ? { state: 'ARCHIVED', before: state } : undefined
}

/** The possible states of a node after verbs in this order; empty if one of them would have another answer. */
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

/** All orders of a few things. */
export function permutations<T>(things: readonly T[]): readonly (readonly T[])[] {
  if (things.length < 2) return [things]
  return things.flatMap((thing, i) => permutations(things.toSpliced(i, 1)).map(rest => [thing, ...rest]))
}
