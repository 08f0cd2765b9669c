import type { Collection } from '../../../domain/ports/store.ts'
import type { StoreSnapshot } from '../../store/snapshot.ts'
import { openSqliteSnapshot } from '../../store/sqlite/snapshot.ts'

/** The place of a store for a thread: a file, or the URL of a database. */
export interface ReadPlace {
  readonly file: string
  readonly storeUrl?: string | undefined
}

/**
 * Returns collections in a form that can be sent to a thread: data without functions. The functions are needed for writes
 * only.
 */
export const readOnlyCollections = (collections: readonly Collection<never>[]): readonly Collection<never>[] =>
  JSON.parse(JSON.stringify(collections))

/** Opens a snapshot of collections, on a connection of its own. */
export async function openExported(
  { file, storeUrl }: ReadPlace,
  collections: readonly Collection<never>[],
): Promise<StoreSnapshot> {
  if (storeUrl === undefined) return openSqliteSnapshot({ file, collections })
  const { openPostgresSnapshot } = await import('../../store/postgres/snapshot.ts')
  return openPostgresSnapshot({ url: storeUrl, collections })
}
