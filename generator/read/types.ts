import type { Message } from '../diagnostics.ts'
import type { Position } from '../model/types.ts'

/** A parsed file of a run: its plain data, and the positions of its parts on demand. */
export interface SourceFile {
  /** The file name relative to the working directory, with `/`. */
  readonly file: string
  readonly text: string
  readonly root: unknown
  /**
   * The position of the value at a JSON pointer (`/paths/~1a/get`): the key of a member, or the start of an element.
   * For a missing value, the position of its nearest parent. The call costs nothing until `line` or `column` is read.
   */
  positionOf(pointer: string): Position
}

/** An entry document. Its `$ref` are kept, not dereferenced. */
export interface Entry {
  /** The name of the output folder. */
  readonly name: string
  readonly file: SourceFile
}

/** The result of `load`: the entries in the given order, and all files by name. */
export interface Loaded {
  readonly entries: readonly Entry[]
  readonly files: ReadonlyMap<string, SourceFile>
  /** For each entry name, the names of all files that its references reach, including its own. */
  readonly reach: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * Files that a reference names and that could not be loaded, with the reason. Each reference to such a file is an
   * error.
   */
  readonly refused: ReadonlyMap<string, Message>
}

/** A value in a file, with its JSON pointer. */
export interface Located {
  readonly file: SourceFile
  readonly pointer: string
  readonly value: unknown
}
