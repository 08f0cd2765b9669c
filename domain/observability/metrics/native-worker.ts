import type { Worker } from '../../ports/workers.ts'
import type { ObservabilityEnvironment } from '../environment.ts'

/** The time between two runs, in milliseconds: a run has nothing to do but to be there. */
const everyMs = 60_000

/**
 * Returns the worker with the lease `observability.native`, whose holder serves the telemetry of the native engine
 * (conventions §15).
 */
export const nativeWorker = ({ lease }: Pick<ObservabilityEnvironment, 'lease'>): Worker => ({
  name: 'observability.native',
  everyMs,
  async run({ signal }) {
    lease.hold(signal)
  },
})
