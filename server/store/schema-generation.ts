import { storeUnavailable } from './retries.ts'
import type { SqlRow } from './connection.ts'

/**
 * Selects the generation: the number of changes of columns, unique sets or the format by newer versions. A server that
 * was running before such a change does not know the values that it would have to write, and rows without them would
 * not be found by the new columns.
 */
export const selectGeneration = 'SELECT coalesce(max(number), 0) FROM ninefold_generations'

/** Adds 1 to the generation. */
export const addGeneration =
  'INSERT INTO ninefold_generations (number) SELECT coalesce(max(number), 0) + 1 FROM ninefold_generations'

/** Returns the generation in the row of `selectGeneration`. */
export const generationIn = (row: SqlRow | undefined): number => Number(row?.[0])

/** Throws ENGINE_UNAVAILABLE if the generation has changed since this server opened the store. */
export function checkGeneration(row: SqlRow | undefined, opened: number): void {
  if (generationIn(row) !== opened) throw changedByNewer()
}

/** Returns the error of a write that the store refuses because a newer version uses the store. */
export const changedByNewer = (cause?: unknown): Error =>
  storeUnavailable('a newer version of the server has changed the store, and this one only reads it; try again', cause)
