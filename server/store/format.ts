import type { Row } from './connection.ts'

/**
 * What documents say and mean, as a number: a version raises it that writes what earlier ones would misread, or rely on
 * to be otherwise, or that gives up a unique set. Columns and further unique sets tell themselves (decision 0007).
 */
export const storeFormat = 1

/** The highest number of the versions that have opened a store; 0 in one of before there were numbers. */
export const selectFormat = 'SELECT coalesce(max(number), 0) FROM ninefold_formats'

export const addFormat = 'INSERT INTO ninefold_formats (number) VALUES (?)'

export const formatIn = (row: Row | undefined): number => Number(row?.[0])

/** A store that a newer version of the program has written, which this one must neither write nor judge. */
export class NewerStore extends Error {
  override readonly name = 'NewerStore'
  /** What it has that this version does not know. */
  readonly difference: string

  constructor(difference: string) {
    super(
      `a newer version of the server has changed the store: ${difference}; start that version or a newer one, or restore a backup from before it`,
    )
    this.difference = difference
  }
}

/** Throws `NewerStore` when a store is of a higher number than a program. */
export function checkFormat(found: number, known: number): void {
  if (found <= known) return
  throw new NewerStore(`it has format ${found}, and this version knows format ${known}`)
}
