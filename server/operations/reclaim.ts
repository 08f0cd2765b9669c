import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerStore } from '../store/server-store.ts'
import type { Worker } from '../../domain/ports/workers.ts'

/** The interval of the search for reclaimable disk space, in milliseconds. */
const everyMs = 60 * 1000

/**
 * Returns the worker that reclaims the disk space of a store, at most half of the time, so that calls proceed; none for
 * a store that reclaims disk space itself.
 */
export function reclaimers(store: Pick<ServerStore, 'reclaim'>): readonly Worker[] {
  if (store.reclaim === undefined) return []
  const reclaim = store.reclaim.bind(store)
  return [
    {
      name: 'ninefold.reclaimer',
      everyMs,
      async run({ signal }) {
        for (;;) {
          signal.throwIfAborted()
          const started = performance.now()
          if (!(await reclaim())) return
          await sleep(performance.now() - started)
        }
      },
    },
  ]
}
