import type { Worker } from '../../ports/workers.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { storeUsage } from './telemetry-usage.ts'

/** The time between two runs, in milliseconds. */
const everyMs = 60_000

/**
 * Returns the worker with the lease `observability.native`, whose holder serves the telemetry of the native engine
 * (conventions §15), and stores for the other servers how much workspaces use.
 */
export const nativeWorker = ({
  lease,
  logs,
  metrics,
  store,
  traces,
}: Pick<ObservabilityEnvironment, 'lease' | 'logs' | 'metrics' | 'store' | 'traces'>): Worker => ({
  name: 'observability.native',
  everyMs,
  async run({ signal, tx }) {
    lease.hold(signal)
    await storeUsage({ logs, metrics, store, traces, tx })
  },
})
