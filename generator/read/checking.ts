import type { DiagnosticList } from '../diagnostics.ts'
import type { Loaded } from './types.ts'
import type { Outline } from '../document-outline.ts'

/** The shared arguments of all checks. */
export interface Checking {
  readonly loaded: Loaded
  /** The outlines of the documents of the run that were not loaded. */
  readonly beside: readonly Outline[]
  readonly diagnostics: DiagnosticList
}
