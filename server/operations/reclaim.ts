import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerStore } from '../store/server-store.ts'
import type { Worker } from '../../domain/ports/workers.ts'

/** The interval of the search for reclaimable disk space. */
const everyMs = 60 * 1000

/** Reclaims disk space of a store that does not do so itself; at most half of the time, so that calls proceed. */
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
