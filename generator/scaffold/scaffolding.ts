import type { Diagnostic } from '../diagnostics.ts'
import type { Position } from '../model/types.ts'

/** The planned changes of a scaffold; it writes nothing by itself. */
export interface Scaffolding {
  /** The text of each changed or new handwritten file, by its path. */
  readonly files: ReadonlyMap<string, string>
  /** The added stubs, as `Class.method`, or as `Interface.method` in a new class. */
  readonly added: readonly string[]
  /** Tasks for a person: leftover handlers, and classes that could not be completed. */
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
