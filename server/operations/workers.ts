import type { Clock } from '../../domain/ports/clock.ts'
import type { Collection, Store } from '../../domain/ports/store.ts'
import type { Log } from '../log.ts'
import { Owner, owners, type LeaseTimes } from './owners.ts'
import type { Worker } from '../../domain/ports/workers.ts'
import { leases, PeriodicWorker } from './periodic.ts'
import type { RunServices } from './run.ts'
import { Runner, type RunnerOptions } from './runner.ts'
import type { WorkQueue } from './work-queue.ts'
import { works } from './work.ts'

/** The collections of durable work. */
export const workCollections: readonly Collection<never>[] = [works, owners, leases]

/** The settings of the background work; durations in milliseconds. */
export interface WorkerOptions extends LeaseTimes, RunnerOptions, Pick<RunServices, 'retryDelaysMs'> {}

/** The time after the last heartbeat of a process for which the process counts as running, in milliseconds. */
export const processLeaseMs = 15_000

/** The times of the leases of a process (conventions §15). */
export const leaseTimes: LeaseTimes = { leaseMs: processLeaseMs, heartbeatMs: 5_000 }

/** The settings of conventions §15. */
const defaults: WorkerOptions = {
  ...leaseTimes,
  pollMs: 1_000,
  retryDelaysMs: [1_000, 2_000, 4_000],
  concurrency: 16,
  stopGraceMs: 10_000,
}

/** The background work of this process. */
export interface Workers {
  /** The id of this process in leases. */
  readonly ownerId: string
  /** Writes a row to the store; rejects if the store cannot be written. */
  probe(): Promise<void>
  /** Aborts running work and releases all leases. A second call has no effect. */
  stop(): Promise<void>
}

/**
 * Starts the background work of this process: durable work, and the periodic workers whose leases this process gets.
 * `owner` is this process as a holder of leases; without it, the function makes one.
 */
export async function startWorkers(
  parts: { readonly store: Store; readonly clock: Clock; readonly log: Log; readonly queue: WorkQueue } & Pick<
    RunServices,
    'steps'
  > & { readonly owner?: Owner },
  periodic: readonly Worker[] = [],
  options: Partial<WorkerOptions> = {},
): Promise<Workers> {
  const chosen = { ...defaults, ...options }
  const owner = parts.owner ?? new Owner(parts, chosen)
  await owner.start()
  const { retryDelaysMs } = chosen
  const runner = new Runner({ ...parts, owner, retryDelaysMs }, chosen)
  const workers = periodic.map(worker => new PeriodicWorker({ ...parts, owner }, worker))
  runner.start()
  for (const worker of workers) worker.start()
  const stop = async (): Promise<void> => {
    await Promise.all([runner.stop(), ...workers.map(worker => worker.stop())])
    await owner.stop()
  }
  let stopped: Promise<void> | undefined
  return { ownerId: owner.id, probe: () => owner.probe(), stop: () => (stopped ??= stop()) }
}
