import type { DiagnosticList } from '../diagnostics.ts'
import type { Loaded } from './types.ts'

/** What a check of one object is given. */
export interface Checking {
  readonly loaded: Loaded
  readonly diagnostics: DiagnosticList
}
