import type { Turn, Worker } from '../../ports/workers.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { collectBlobs, collectLeftovers, endIdleUploads, unlinkAbandoned } from './collect-garbage.ts'

/** The longest and the shortest time between two runs, in milliseconds. */
const longestMs = 60_000
const shortestMs = 1000

const hourMs = 3_600_000

type Task = (environment: RegistryEnvironment, turn: Turn) => Promise<void>

/**
 * Returns the worker with the lease `registry.native`, whose holder serves the blobs of a folder, and collects garbage. A
 * failed task does not prevent the others.
 */
export function contentWorker(environment: RegistryEnvironment): Worker {
  const { collectionGraceMs, failed, lease } = environment
  // Two tasks read all links or all files.
  const tasks: readonly Task[] = [endIdleUploads, hourly(unlinkAbandoned), collectBlobs, hourly(collectLeftovers)]
  return {
    name: 'registry.native',
    everyMs: Math.min(longestMs, Math.max(shortestMs, collectionGraceMs)),
    async run(turn) {
      lease.hold(turn.signal)
      for (const task of tasks) {
        if (turn.signal.aborted) return
        await task(environment, turn).catch((error: unknown) => {
          if (!turn.signal.aborted) failed(error, 'registry.native')
        })
      }
    },
  }
}

/** Returns a task that runs at the first run of the worker, and then once an hour. */
function hourly(task: Task): Task {
  let dueMs = 0
  return async (environment, turn) => {
    const now = environment.clock.now()
    if (now < dueMs) return
    dueMs = now + hourMs
    await task(environment, turn)
  }
}
