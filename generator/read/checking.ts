import type { DiagnosticList } from '../diagnostics.ts'
import type { Outline } from '../model/types.ts'
import type { Loaded } from './types.ts'

/** What a check of one object is given. */
export interface Checking {
  readonly loaded: Loaded
  /** The documents of the run that were not loaded. */
  readonly beside: readonly Outline[]
  readonly diagnostics: DiagnosticList
}
