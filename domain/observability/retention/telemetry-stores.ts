import type { SignalInput } from '../../../output/observability/types.ts'
import type { RetainedBytes, TelemetryRetention } from '../telemetry-retention.ts'

/** The telemetry of one signal in all workspaces, as the retention sees it. Rejects with ENGINE_UNAVAILABLE. */
export interface TelemetryStore {
  /** Removes telemetry that is older than its retention. From then on, reads show no older telemetry either. */
  purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes>
  /** Removes all telemetry of a workspace. */
  drop(workspace: string): Promise<void>
}

/** The stores of the signals; a function that needs a part of a store names that part. */
export interface TelemetryEngines<T = TelemetryStore> {
  readonly logs: T
  readonly metrics: T
  readonly traces: T
}

/** Returns the stored signals with their stores. */
export const telemetryStores = <T>({ logs, metrics, traces }: TelemetryEngines<T>): ReadonlyMap<SignalInput, T> =>
  new Map([
    ['OBSERVABILITY_SIGNAL_LOGS', logs],
    ['OBSERVABILITY_SIGNAL_METRICS', metrics],
    ['OBSERVABILITY_SIGNAL_TRACES', traces],
  ])
