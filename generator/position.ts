/**
 * The intermediate representation: the emitters read a document only through these types. `build` creates the model
 * once. The model is read-only and free of OpenAPI's own shapes, and every list in the model keeps the order of the
 * document.
 */

/** A place in a source file; lines and columns count from 1. */
export interface Position {
  /** The path relative to the working directory, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
}
