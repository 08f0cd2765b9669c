import { nextTurn } from '../../resources/next-turn.ts'
/**
 * A computation over many rows that can pause: it yields often, about once a comparison of a rule with a tag, and returns
 * its result.
 */
export type Steps<T> = Generator<undefined, T, undefined>

/** The longest time of a slice of a computation, in milliseconds; other work of the process runs between two slices. */
const sliceMs = 4

/** Runs a computation in slices, so that the event loop is never held for long. Throws the reason of an aborted signal. */
export async function inSlices<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const endMs = performance.now() + sliceMs
    let step = steps.next()
    while (!step.done && performance.now() < endMs) step = steps.next()
    if (step.done) return step.value
    await nextTurn()
    signal.throwIfAborted()
  }
}

/** Runs a short computation at once, as transactions need it. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
