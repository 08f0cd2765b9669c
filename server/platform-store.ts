import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from '../domain/ports/store.ts'
import { references } from '../domain/resources/references.ts'
import { ApiError, commonReasons } from '../runtime/errors.ts'
import type { AreaModule } from './area.ts'
import { outbox } from '../domain/resources/activity-outbox.ts'
import type { Config } from './config.ts'
import { rememberedKeys } from './operations/idempotency.ts'
import { workCollections } from './operations/workers.ts'
import type { ServerStore } from './store/server-store.ts'
import type { StoreSnapshot } from './store/snapshot.ts'
import { openSqlite } from './store/sqlite.ts'
import { checkStore, openSqliteSnapshot } from './store/sqlite/snapshot.ts'
import { sqliteCode } from './store/sqlite/errors.ts'
import { explained } from './store/sqlite/store-file.ts'

/** The settings that define the place of a store. */
export type StorePlace = Pick<Config, 'dataDir' | 'storeUrl'>

/** Returns the file of a data folder's store. */
export const storeFile = (dataDir: string): string => join(dataDir, 'ninefold.sqlite')

/** The collections of the server itself. */
export const serverCollections: readonly Collection<never>[] = [rememberedKeys, outbox, references, ...workCollections]

/** Returns all collections of a store: the collections of the server and of the areas. */
export const storeCollections = (areas: readonly AreaModule[]): readonly Collection<never>[] => [
  ...serverCollections,
  ...areas.flatMap(({ collections }) => collections),
]

/** Returns the place of a store for messages to people, without user and password. */
export function placeName({ dataDir, storeUrl }: StorePlace): string {
  if (storeUrl === undefined) return storeFile(dataDir)
  const { protocol, host, pathname } = new URL(storeUrl)
  return `${protocol}//${host}${pathname}`
}

/** Opens the store; creates an absent store. The driver of PostgreSQL is loaded only for a store in PostgreSQL. */
export async function openStore({ dataDir, storeUrl }: StorePlace, areas: readonly AreaModule[]): Promise<ServerStore> {
  const collections = storeCollections(areas)
  if (storeUrl !== undefined) {
    const { openPostgres } = await import('./store/postgres.ts')
    return explaining({ dataDir, storeUrl }, () => openPostgres({ url: storeUrl, collections }))
  }
  const file = storeFile(dataDir)
  try {
    checkStore(file)
    // The file holds keys, so only its owner may read it; SQLite gives its log files the same permissions.
    await (await open(file, 'a', 0o600)).close()
    return await openSqlite({ file, collections })
  } catch (error) {
    throw explained(file, error)
  }
}

/**
 * Returns an error of an opened store with the place of the store, for people at the host; returns any other error
 * unchanged. Callers never learn the place of the store.
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

/** Opens a snapshot of the store. Throws if there is no store, or if this version cannot read the store. */
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
