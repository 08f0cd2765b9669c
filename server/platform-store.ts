import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from '../domain/ports/store.ts'
import { references } from '../domain/resources/references.ts'
import { ApiError, commonReasons } from '../runtime/errors.ts'
import type { AreaModule } from './area.ts'
import { outbox } from './audit/outbox.ts'
import type { Config } from './config.ts'
import { rememberedKeys } from './operations/idempotency.ts'
import { workCollections } from './operations/workers.ts'
import type { ServerStore } from './store/server-store.ts'
import type { StoreSnapshot } from './store/snapshot.ts'
import { openSqlite } from './store/sqlite.ts'
import { checkStore, openSqliteSnapshot } from './store/sqlite/snapshot.ts'
import { sqliteCode } from './store/sqlite/errors.ts'
import { explained } from './store/sqlite/store-file.ts'

/** The settings that tell the place of a store. */
export type StorePlace = Pick<Config, 'dataDir' | 'storeUrl'>

/** Returns the file of a data folder's store. */
export const storeFile = (dataDir: string): string => join(dataDir, 'ninefold.sqlite')

/** Returns all collections of a store: the server's own and those of the areas. */
export const storeCollections = (areas: readonly AreaModule[]): readonly Collection<never>[] => [
  rememberedKeys,
  outbox,
  references,
  ...workCollections,
  ...areas.flatMap(({ collections }) => collections),
]

/** Where a store lies, for people: never who connects or by which password. */
export function placeName({ dataDir, storeUrl }: StorePlace): string {
  if (storeUrl === undefined) return storeFile(dataDir)
  const { protocol, host, pathname } = new URL(storeUrl)
  return `${protocol}//${host}${pathname}`
}

/** Opens the store, which is made when it is absent. Who keeps everything in a file does not load the driver of PostgreSQL. */
export async function openStore({ dataDir, storeUrl }: StorePlace, areas: readonly AreaModule[]): Promise<ServerStore> {
  const collections = storeCollections(areas)
  if (storeUrl !== undefined) {
    const { openPostgres } = await import('./store/postgres.ts')
    return explaining({ dataDir, storeUrl }, () => openPostgres({ url: storeUrl, collections }))
  }
  const file = storeFile(dataDir)
  try {
    checkStore(file)
    // The file holds keys, so it belongs to its owner alone; SQLite gives its log files the same rights.
    await (await open(file, 'a', 0o600)).close()
    return await openSqlite({ file, collections })
  } catch (error) {
    throw explained(file, error)
  }
}

/**
 * What the use of a store that was opened raised, told with its place where it is a fault of the store; anything else as
 * it came. For people on the host: callers are not told where a store lies.
 */
export async function explainedUse(place: StorePlace, error: unknown): Promise<unknown> {
  if (error instanceof ApiError && error.reason === commonReasons.ENGINE_UNAVAILABLE.reason) {
    return new Error(`${placeName(place)}: ${error.message}`, { cause: error })
  }
  if (place.storeUrl === undefined) return sqliteCode(error) === undefined ? error : explained(placeName(place), error)
  const { databaseFault, explainedDatabase } = await import('./store/postgres/database-fault.ts')
  return databaseFault(error) === undefined ? error : explainedDatabase(placeName(place), error)
}

async function explaining<R>(place: StorePlace, open: () => Promise<R>): Promise<R> {
  try {
    return await open()
  } catch (error) {
    const { explainedDatabase } = await import('./store/postgres/database-fault.ts')
    throw explainedDatabase(placeName(place), error)
  }
}

/** Opens the store for reading as of one moment. Throws when there is none, or one that this version cannot read. */
export async function openStoreSnapshot(
  { dataDir, storeUrl }: StorePlace,
  areas: readonly AreaModule[],
): Promise<StoreSnapshot> {
  const collections = storeCollections(areas)
  if (storeUrl !== undefined) {
    const { openPostgresSnapshot } = await import('./store/postgres/snapshot.ts')
    return openPostgresSnapshot({ url: storeUrl, collections })
  }
  return openSqliteSnapshot({ file: storeFile(dataDir), collections })
}
