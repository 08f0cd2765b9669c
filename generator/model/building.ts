import type { DiagnosticList } from '../diagnostics.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Registry } from './registry.ts'
import type { Schema } from './types.ts'

/** What building the parts of a document is given. */
export interface Building {
  readonly loaded: Loaded
  readonly diagnostics: DiagnosticList
  readonly registry: Registry
  /** The document that is built; schemas that it alone reaches become its own. */
  readonly document: string
}

/** How a schema stands in another: what stands around a branch or an alternative fills in what it leaves out. */
export interface Standing {
  readonly as: 'itself' | 'branch' | 'alternative'
  /** The `type` written around it. */
  readonly type: string | undefined
}

/** Builds a schema that stands in another. */
export type BuildSchema = (at: Located, standing?: Standing) => Schema
