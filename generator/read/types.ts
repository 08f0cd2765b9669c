import type { Message } from '../diagnostics.ts'
import type { Position } from '../model/types.ts'

/** A parsed file of a run: plain data, and the positions of its parts on demand. */
export interface SourceFile {
  /** Relative to the working directory, with `/`. */
  readonly file: string
  readonly text: string
  readonly root: unknown
  /**
   * Where the value at a JSON pointer (`/paths/~1a/get`) stands: the key of a member, the start of a list's element;
   * of a missing one, its nearest parent. Costs nothing until `line` or `column` is read.
   */
  positionOf(pointer: string): Position
}

/** One entry document, with every file it reaches. Nothing is dereferenced: `$ref` stay where they are. */
export interface Entry {
  /** The name of its output folder. */
  readonly name: string
  readonly file: SourceFile
}

/** What `load` found: entries in the order given, and all files by name. */
export interface Loaded {
  readonly entries: readonly Entry[]
  readonly files: ReadonlyMap<string, SourceFile>
  /** By the name of an entry, the names of all files that its references lead to, its own among them. */
  readonly reach: ReadonlyMap<string, ReadonlySet<string>>
  /** Files that a reference names and that were not loaded, with the reason; each reference to one is an error. */
  readonly refused: ReadonlyMap<string, Message>
}

/** A place in a file: what a resolved reference is. */
export interface Located {
  readonly file: SourceFile
  readonly pointer: string
  readonly value: unknown
}
