import type { Message } from '../diagnostics.ts'
import type { Position } from '../position.ts'

/**
 * The version of OpenAPI whose rules hold in a file. The versions differ most in schemas: those of 3.0 are a variant of
 * draft 4 of JSON Schema, and those of 3.1 are schemas of its draft 2020-12.
 */
export type Dialect = '3.0' | '3.1'

/** A parsed file of a run, with its plain data and its text. */
export interface SourceFile {
  /** The file name relative to the working directory, with `/`. */
  readonly file: string
  readonly text: string
  readonly root: unknown
  /** The version of the document, or for another file, of the document from which references reach the file. */
  readonly dialect: Dialect
  /** The pointers of the schemas that have an `$anchor`, keyed by the anchor. */
  readonly anchors: ReadonlyMap<string, string>
  /**
   * Returns the position of the value at a JSON pointer (`/paths/~1a/get`): the position of a member's key, or of an
   * element's start. For a missing value, returns the position of its nearest existing parent. The position is computed
   * when `line` or `column` is first read.
   */
  positionOf(pointer: string): Position
}

/** An entry document. Its `$ref` members are kept, not dereferenced. */
export interface Entry {
  /** The name of the document. */
  readonly name: string
  readonly file: SourceFile
}

/** The result of `load`: the entries in the given order, and all files keyed by name. */
export interface Loaded {
  readonly entries: readonly Entry[]
  readonly files: ReadonlyMap<string, SourceFile>
  /**
   * The names of all files that the references of an entry reach, including the entry's own file, keyed by the name of
   * the entry.
   */
  readonly reach: ReadonlyMap<string, ReadonlySet<string>>
  /**
   * The reasons why referenced files could not be loaded, keyed by file name. Each reference to one of these files is
   * an error.
   */
  readonly refused: ReadonlyMap<string, Message>
}

/** A value in a file, with its JSON pointer. */
export interface Located {
  readonly file: SourceFile
  readonly pointer: string
  readonly value: unknown
}
