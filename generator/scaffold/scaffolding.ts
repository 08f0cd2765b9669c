import type { Diagnostic } from '../diagnostics.ts'
import type { Position } from '../model/types.ts'

/** What a scaffold would change; nothing is written by making it. */
export interface Scaffolding {
  /** The text of each handwritten file that changes or is new, by its path. */
  readonly files: ReadonlyMap<string, string>
  /** Added stubs, as `Class.method` or, in a new class, `Interface.method`. */
  readonly added: readonly string[]
  /** What needs a person: leftover handlers, classes that could not be completed. */
  readonly diagnostics: readonly Diagnostic[]
}

export const nothing: Scaffolding = { files: new Map(), added: [], diagnostics: [] }

/** A scaffolding that only says something. */
export const warning = (code: string, message: string, position: Position): Scaffolding => ({
  ...nothing,
  diagnostics: [{ severity: 'warning', code, message, position }],
})

export const merged = (parts: readonly Scaffolding[]): Scaffolding => ({
  files: new Map(parts.flatMap(({ files }) => [...files])),
  added: parts.flatMap(({ added }) => added),
  diagnostics: parts.flatMap(({ diagnostics }) => diagnostics),
})
