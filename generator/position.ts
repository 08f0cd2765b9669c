/** A place in a source file; lines and columns count from 1. */
export interface Position {
  /** The path relative to the working directory, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A place in the text of one file; lines and columns count from 1. */
export type Place = Pick<Position, 'line' | 'column'>
