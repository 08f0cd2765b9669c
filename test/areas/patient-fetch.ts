import { setTimeout as sleep } from 'node:timers/promises'

/** The longest time for which a request is repeated, in milliseconds. */
const longestMs = 60_000

/**
 * Returns a `fetch` that repeats a request while the answer is 503: a server on a loaded machine may refuse calls until it
 * has read the latest changes of rights.
 */
export const patient =
  (once: typeof fetch): typeof fetch =>
  async (target, init) => {
    const until = performance.now() + longestMs
    for (;;) {
      const answer = await once(target, init)
      if (answer.status !== 503 || performance.now() > until) return answer
      await answer.arrayBuffer()
      await sleep(50)
    }
  }
