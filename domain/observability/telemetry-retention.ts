/** The retention of a signal in a workspace. */
export interface TelemetryRetention {
  /** The retention of telemetry that no policy selects, in milliseconds. */
  readonly defaultMs: number
  /** Policies with a selector, the policy that wins first. */
  readonly selected: readonly { readonly selector: string; readonly retentionMs: number }[]
}

/** The bytes of a signal that are left after a purge. */
export interface RetainedBytes {
  /** The bytes of the files of a workspace together. */
  readonly total: number
  /**
   * The bytes of the telemetry that each policy with a selector keeps, in the order of the policies, without what arrived
   * in the last minutes.
   */
  readonly selected: readonly number[]
}
