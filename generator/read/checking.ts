import type { DiagnosticList } from '../diagnostics.ts'
import type { Outline } from '../model/types.ts'
import type { Loaded } from './types.ts'

/** The shared arguments of all checks. */
export interface Checking {
  readonly loaded: Loaded
  /** The outlines of the documents of the run that were not loaded. */
  readonly beside: readonly Outline[]
  readonly diagnostics: DiagnosticList
}
