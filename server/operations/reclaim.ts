import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerStore } from '../store/server-store.ts'
import type { Worker } from '../../domain/ports/workers.ts'

/** How often is asked whether there is disk space to give back. */
const everyMs = 60 * 1000

/** Gives disk space back, of a store that does not do that by itself; calls have half of the time meanwhile. */
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
