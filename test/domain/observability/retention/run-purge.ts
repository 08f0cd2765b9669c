import { purgeWorker } from '../../../../domain/observability/retention/purge-worker.ts'
import type { TelemetryStore } from '../../../../domain/observability/retention/telemetry-stores.ts'
import { NativeLease } from '../../../../domain/resources/native-lease.ts'
import { createClock } from '../../../../server/clock.ts'
import type { ServerStore } from '../../../../server/store/server-store.ts'

/** The parts of one run of the worker of purges. */
export interface PurgeRun {
  readonly store: ServerStore
  readonly metrics: TelemetryStore
  /** The time of the run in milliseconds since 1970. */
  readonly now: number
  /** Gets the failures; by default they reject the run. */
  readonly failed?: (error: unknown, subject: string) => void
}

const rethrow = (error: unknown): never => {
  throw error
}

/** The telemetry of a signal that has none. */
const empty: TelemetryStore = { purge: async () => ({ total: 0, selected: [] }), drop: async () => undefined }

/** Runs the worker of purges once on an engine of metrics, beside empty logs and traces. */
export async function runPurge({ failed = rethrow, metrics, now, store }: PurgeRun): Promise<void> {
  const lease = new NativeLease()
  const { signal } = new AbortController()
  lease.hold(signal)
  const parts = { clock: createClock(() => now), failed, lease, logs: empty, metrics, store, traces: empty }
  await purgeWorker(parts).run({ signal, tx: fn => store.tx(fn) })
}
