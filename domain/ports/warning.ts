/** A notice in an operation; `code` is the full S_SSS_EEE number of its reason. */
export interface Warning {
  readonly code: number
  readonly description: string
}
