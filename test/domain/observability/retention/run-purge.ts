import type { MetricEngine } from '../../../../domain/observability/metrics/metric-engine.ts'
import { purgeWorker } from '../../../../domain/observability/retention/purge-worker.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { createClock } from '../../../../server/clock.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'

/** The parts of one run of the worker of purges. */
export interface PurgeRun {
  readonly store: ServerStore
  readonly metrics: Pick<MetricEngine, 'purge' | 'drop'>
  /** The time of the run in milliseconds since 1970. */
  readonly now: number
  /** Gets the failures; by default they reject the run. */
  readonly failed?: (error: unknown, subject: string) => void
}

const rethrow = (error: unknown): never => {
  throw error
}

/** Runs the worker of purges once on an engine. */
export async function runPurge({ failed = rethrow, metrics, now, store }: PurgeRun): Promise<void> {
  const lease = new NativeLease()
  const { signal } = new AbortController()
  lease.hold(signal)
  // The worker calls no other function of the engine.
  const parts = { clock: createClock(() => now), failed, lease, metrics: metrics as MetricEngine, store }
  await purgeWorker(parts).run({ signal, tx: fn => store.tx(fn) })
}
