import { storeUnavailable } from './retries.ts'
import type { Row } from './connection.ts'

/**
 * How often newer versions have changed what was there: columns, unique sets, the format. A server that still runs then
 * does not know what it would have to write, and rows without it would never be found by the new columns.
 */
export const selectGeneration = 'SELECT coalesce(max(number), 0) FROM ninefold_generations'

export const addGeneration =
  'INSERT INTO ninefold_generations (number) SELECT coalesce(max(number), 0) + 1 FROM ninefold_generations'

export const generationIn = (row: Row | undefined): number => Number(row?.[0])

/** Throws ENGINE_UNAVAILABLE when the store is not as it was when this server opened it. */
export function checkGeneration(row: Row | undefined, opened: number): void {
  if (generationIn(row) !== opened) throw changedByNewer()
}

/** What callers are told whose change the store refuses since a newer version uses it. */
export const changedByNewer = (cause?: unknown): Error =>
  storeUnavailable('a newer version of the server has changed the store, and this one only reads it; try again', cause)
