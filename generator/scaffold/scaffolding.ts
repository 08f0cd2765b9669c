import type { Diagnostic } from '../diagnostics.ts'
import type { Position } from '../position.ts'

/** The planned changes of a scaffold, which the caller writes. */
export interface Scaffolding {
  /** The text of each changed or new handwritten file, keyed by path. */
  readonly files: ReadonlyMap<string, string>
  /** The names of the added stubs: `Class.method`, or `Interface.method` in a new class. */
  readonly added: readonly string[]
  /** Tasks for a person: leftover handlers, and classes that could not be completed or added. */
  readonly diagnostics: readonly Diagnostic[]
}

/** A scaffolding without changes. */
export const nothing: Scaffolding = { files: new Map(), added: [], diagnostics: [] }

/** Returns a scaffolding that only contains a warning. */
export const warning = (code: string, message: string, position: Position): Scaffolding => ({
  ...nothing,
  diagnostics: [{ severity: 'warning', code, message, position }],
})

/** Joins scaffoldings that change different files. */
export const merged = (parts: readonly Scaffolding[]): Scaffolding => ({
  files: new Map(parts.flatMap(({ files }) => [...files])),
  added: parts.flatMap(({ added }) => added),
  diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
})
