import type { Turn, Worker } from '../../ports/workers.ts'
import type { StorageEnvironment } from '../environment.ts'

/** The time between two runs, in milliseconds: statistics have a row for each minute. */
const everyMs = 60_000

/** Work that the server with the content does each minute. */
export type NativeTask<Needed extends keyof StorageEnvironment = keyof StorageEnvironment> = (
  environment: Pick<StorageEnvironment, Needed>,
  turn: Turn,
) => Promise<void>

/**
 * Returns the worker with the lease `storage.native`, whose holder serves the content of the native engine. `first` runs
 * before the server serves content, `others` after that. A failed task does not prevent the others.
 */
export const nativeWorker = (
  environment: StorageEnvironment,
  first: NativeTask,
  others: readonly NativeTask[],
): Worker => ({
  name: 'storage.native',
  everyMs,
  async run(turn) {
    await attempt(environment, turn, first)
    environment.lease.hold(turn.signal)
    for (const task of others) await attempt(environment, turn, task)
  },
})

const hourMs = 3_600_000

/** Returns a task that runs at the first run of the worker, and then once an hour. */
export function hourly(task: NativeTask): NativeTask {
  let dueMs = 0
  return async (environment, turn) => {
    const now = environment.clock.now()
    if (now < dueMs) return
    dueMs = now + hourMs
    await task(environment, turn)
  }
}

async function attempt(environment: StorageEnvironment, turn: Turn, task: NativeTask): Promise<void> {
  if (turn.signal.aborted) return
  try {
    await task(environment, turn)
  } catch (error) {
    if (!turn.signal.aborted) environment.failed(error, 'storage.native')
  }
}
