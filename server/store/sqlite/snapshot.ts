import { storeFormat } from '../format.ts'
import { layoutOf } from '../layout.ts'
import { StoreSnapshot } from '../snapshot.ts'
import type { SqliteOptions } from '../sqlite.ts'
import { SqliteConnection } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { isCorrupt } from './errors.ts'
import { schemaVersion } from './migrations.ts'
import { checkSchema, checkVersion, requireSchema } from './schema-state.ts'
import { checkStoreFile, restoreAdvice, StoreFault } from './store-file.ts'
import { immutable, traceless, type Traceless } from './traceless.ts'

const faults = {
  absent: 'does not exist, so that there is no store; "ninefold serve" makes it',
  empty: `is empty; when this is a first start that was broken off, start "ninefold serve" again, else ${restoreAdvice}`,
} as const

/**
 * Opens a snapshot of a file, while a server may write the file, without any change to the file or its folder. Throws
 * if the file does not exist, is no store, or does not have the declarations of this version.
 */
export async function openSqliteSnapshot(options: SqliteOptions): Promise<StoreSnapshot> {
  const standing = checkStoreFile(options.file)
  if (standing === 'absent' || standing === 'empty') throw new StoreFault(faults[standing])
  const source = traceless(options.file)
  try {
    return snapshotOf(options, source)
  } catch (error) {
    source.release()
    throw error
  }
}

/**
 * Throws if this version must not use a file as a store; an absent or empty file may become a store. Callers check a
 * file before they open the file for writing, which would change the file of another program.
 */
export function checkStore(file: string): void {
  if (checkStoreFile(file) !== 'complete') return
  const connection = new SqliteConnection(immutable(file), 'snapshot')
  try {
    checkSchema(connection, schemaVersion)
  } finally {
    connection.close()
  }
}

/** Throws `NewerStore` if a newer version has written a complete file without an open log. */
export function checkIsKnown({ file, collections = [], format = storeFormat }: SqliteOptions): void {
  const connection = new SqliteConnection(immutable(file), 'snapshot')
  try {
    const layouts = collections.map(collection => layoutOf(collection, sqliteDialect))
    checkVersion(connection, { schema: schemaVersion, format }, layouts)
  } finally {
    connection.close()
  }
}

function snapshotOf({ file, collections = [], format = storeFormat }: SqliteOptions, source: Traceless): StoreSnapshot {
  const connection = new SqliteConnection(source.path, 'snapshot')
  try {
    const layouts = collections.map(collection => layoutOf(collection, sqliteDialect))
    connection.exec('BEGIN')
    requireSchema(connection, { schema: schemaVersion, format }, layouts)
    return new StoreSnapshot(connection, new Map(layouts.map(layout => [layout.collection, layout])), {
      store: file,
      damages: async () => damagesOf(connection),
      verify: () => source.verify(),
      async close() {
        connection.close()
        source.release()
      },
    })
  } catch (error) {
    connection.close()
    throw error
  }
}

function damagesOf(connection: SqliteConnection): readonly string[] {
  try {
    const told = connection.all('PRAGMA integrity_check').flatMap(([message]) => String(message).split('\n'))
    return told.filter(message => message !== 'ok' && !/^(\*\*\*.*)?$/.test(message))
  } catch (error) {
    if (isCorrupt(error)) return [error instanceof Error ? error.message : String(error)]
    throw error
  }
}
