import type { SignalInput } from '../../../output/observability/types.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import type { RetainedBytes, TelemetryRetention } from './telemetry-retention.ts'

/** The telemetry of one signal in all workspaces, as the retention sees it. Rejects with ENGINE_UNAVAILABLE. */
export interface TelemetryStore {
  /** Removes what is older than its retention. From then on, reads show nothing older either. */
  purge(workspace: string, retention: TelemetryRetention): Promise<RetainedBytes>
  /** Removes all telemetry of a workspace. */
  drop(workspace: string): Promise<void>
}

/** The engines of the signals that are stored. */
export type TelemetryEngines = Pick<ObservabilityEnvironment, 'metrics'>

/** Returns the stored signals with their stores. */
export const telemetryStores = ({ metrics }: TelemetryEngines): ReadonlyMap<SignalInput, TelemetryStore> =>
  new Map([['OBSERVABILITY_SIGNAL_METRICS', metrics]])
