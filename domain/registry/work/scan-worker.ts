import type { Turn, Worker } from '../../ports/workers.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { queueScheduled, startSchedules } from '../scans/automatic/queue-scheduled.ts'
import { recomputeReports } from '../scans/automatic/recompute.ts'
import { WaitingScans } from '../scans/automatic/start-waiting.ts'
import { endDays, tidyScans } from '../scans/automatic/tidy-scans.ts'

/**
 * Returns the worker that begins automatic scans, keeps reports at the newest advisories, and deletes what earlier results
 * have left. A failed task does not prevent the others.
 */
export function scanWorker(environment: RegistryEnvironment): Worker {
  const waiting = new WaitingScans(environment)
  const tasks: readonly ((turn: Turn) => Promise<void>)[] = [
    turn => endDays(environment, turn),
    turn => startSchedules(environment, turn),
    turn => queueScheduled(environment, turn),
    turn => waiting.start(turn),
    turn => recomputeReports(environment, turn),
    turn => tidyScans(environment, turn),
  ]
  return {
    name: 'registry.scans',
    everyMs: 1000,
    async run(turn) {
      for (const task of tasks) {
        if (turn.signal.aborted) return
        await task(turn).catch((error: unknown) => {
          if (!turn.signal.aborted) environment.failed(error, 'registry.scans')
        })
      }
    },
  }
}
