import type { DiagnosticList } from '../diagnostics.ts'
import type { Loaded, Located } from '../read/types.ts'
import type { Registry } from './registry.ts'
import type { Schema } from './types.ts'

/** The shared arguments for building the parts of a document. */
export interface Building {
  readonly loaded: Loaded
  readonly diagnostics: DiagnosticList
  readonly registry: Registry
  /**
   * The name of the document being built. The document owns the schemas in other files that it is the first to reach.
   */
  readonly document: string
  /** Whether integers beyond 2^53 are read from the text of their file, which takes as long as parsing the file. */
  readonly isExact: boolean
}

/**
 * The position of a schema inside another schema. A branch, alternative or negated schema without `type` has the `type`
 * of its surroundings.
 */
export interface Standing {
  readonly as: 'itself' | 'branch' | 'alternative' | 'negated'
  /** The `type` of the surrounding schema. */
  readonly type: string | undefined
}

/** Builds a schema inside another schema. */
export type BuildSchema = (at: Located, standing?: Standing) => Schema
