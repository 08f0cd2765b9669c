import type { SignalInput } from '../../../output/observability/types.ts'

/** Tells how long the members of a stack keep the telemetry of workspaces. */
export interface RetentionReader {
  /**
   * Returns the retention of a signal of a workspace in milliseconds; undefined if the stack has no member for the signal,
   * if the member does not tell, and if it keeps telemetry without an end. Rejects with ENGINE_UNAVAILABLE.
   */
  retentionMs(workspace: string, signal: SignalInput, caller: AbortSignal): Promise<number | undefined>
}
