import type { SqlRow } from './connection.ts'

/**
 * The format number of documents. A version raises the number if earlier versions would misread its documents, or rely
 * on a changed property, or if it drops a unique set. New columns and new unique sets need no new number (decision
 * 0007).
 */
export const storeFormat = 1

/** Selects the highest format number of the versions that have opened a store; 0 in a store without numbers. */
export const selectFormat = 'SELECT coalesce(max(number), 0) FROM ninefold_formats'

/** Adds a format number to a store. */
export const addFormat = 'INSERT INTO ninefold_formats (number) VALUES (?)'

/** Returns the format number in the row of `selectFormat`. */
export const formatIn = (row: SqlRow | undefined): number => Number(row?.[0])

/**
 * The error of a store that a newer version of the program has written, and that this version must neither write nor
 * check.
 */
export class NewerStore extends Error {
  override readonly name = 'NewerStore'
  /** The part of the store that this version does not know. */
  readonly difference: string

  constructor(difference: string) {
    super(
      `a newer version of the server has changed the store: ${difference}; start that version or a newer one, or restore a backup from before it`,
    )
    this.difference = difference
  }
}

/** Throws `NewerStore` if the format number of a store is higher than the number of the program. */
export function checkFormat(found: number, known: number): void {
  if (found <= known) return
  throw new NewerStore(`it has format ${found}, and this version knows format ${known}`)
}
