/** Ends a rehearsal with a result, and with it the transaction. */
export type EndRehearsal<R> = (result: R) => never

/** The answer of a call that was recorded before, or the result of a rehearsal. */
export type Rehearsed<R, Answer> =
  { readonly kind: 'recorded'; readonly answer: Answer } | { readonly kind: 'ready'; readonly result: R }

/**
 * Runs a mutation whose transaction is rolled back once all of its checks have passed, so that a store is changed only for
 * a call that the platform would accept. `mutate` calls `end` in its transaction. Returns the recorded answer for a
 * repeated Idempotency-Key, because `end` is not called then. Throws the errors of the checks.
 */
export async function rehearse<R, Answer>(
  mutate: (end: EndRehearsal<R>) => Promise<Answer>,
): Promise<Rehearsed<R, Answer>> {
  const ended: { readonly result: R }[] = []
  try {
    const answer = await mutate(result => {
      ended.push({ result })
      throw new Rehearsal()
    })
    return { kind: 'recorded', answer }
  } catch (error) {
    // The transaction may have run several times; the last run counts.
    const last = ended.at(-1)
    if (error instanceof Rehearsal && last) return { kind: 'ready', result: last.result }
    throw error
  }
}

/** Rolls a transaction back. */
class Rehearsal extends Error {
  override readonly name = 'Rehearsal'
}
