import type { Collection } from '../../../domain/ports/store.ts'
import { storeFormat } from '../../../server/store/format.ts'
import { openPostgres } from '../../../server/store/postgres.ts'
import { openPostgresSnapshot } from '../../../server/store/postgres/snapshot.ts'
import type { ServerStore } from '../../../server/store/server-store.ts'
import type { StoreSnapshot } from '../../../server/store/snapshot.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { openSqliteSnapshot } from '../../../server/store/sqlite/snapshot.ts'

export const isPostgres = (place: string): boolean => /^postgres(?:ql)?:/.test(place)

/** Opens a snapshot of the store of a place, which reads the store as of one moment. */
export function openPlaceSnapshot(
  place: string,
  collections: readonly Collection<never>[],
  format = storeFormat,
): Promise<StoreSnapshot> {
  return isPostgres(place)
    ? openPostgresSnapshot({ url: place, collections, format })
    : openSqliteSnapshot({ file: place, collections, format })
}

/** Opens the store of a place: the path of an SQLite file, or the URL of a database. */
export function openPlace(
  place: string,
  collections: readonly Collection<never>[],
  format = storeFormat,
): Promise<ServerStore> {
  return isPostgres(place)
    ? openPostgres({ url: place, collections, format })
    : openSqlite({ file: place, collections, format })
}
