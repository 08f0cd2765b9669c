import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import {
  Conflict,
  type Collection,
  type CommitOptions,
  type Reader,
  type Store,
  type Transaction,
} from '../../domain/ports/store.ts'
import { nextTurn } from '../../domain/resources/next-turn.ts'
import { inAttempts, storeUnavailable } from './retries.ts'
import { storeFormat } from './format.ts'
import { checkGeneration, selectGeneration } from './schema-generation.ts'
import { layoutOf } from './layout.ts'
import { StoreReader, type Layouts } from './reader.ts'
import { CommittedReads } from './sqlite/committed-reads.ts'
import { SqliteConnection } from './sqlite/connection.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import { isBusy, outageOf, sqliteCode } from './sqlite/errors.ts'
import { mostUnsaved } from './sqlite/log-file.ts'
import { reclaimStep } from './sqlite/reclaim.ts'
import { FifoQueue } from './sqlite/queue.ts'
import { prepareSchema } from './sqlite/schema.ts'
import { SnapshotConnections } from './sqlite/snapshots.ts'
import { explained, remakeAdvice } from './sqlite/store-file.ts'
import { ScopedReader } from './scoped-reader.ts'
import type { ServerStore } from './server-store.ts'
import { StoreTransaction } from './transaction.ts'

/** The place of a store and its collections. */
export interface SqliteOptions {
  readonly file: string
  readonly collections?: readonly Collection<never>[]
  /** The format number of documents; by default `storeFormat`. */
  readonly format?: number
  /** Whether the data may be lost in a crash of the machine, so that no commit waits for the disk. */
  readonly isPassing?: boolean
}

/**
 * Opens a file, which is created if it is absent, and migrates its tables to the declarations. The thread is blocked
 * during the opening, so a second open of the same file in the thread would wait for itself.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { file, collections = [], format = storeFormat, isPassing = false } = options
  const writer = new SqliteConnection(file, 'writer')
  try {
    const layouts = collections.map(collection => layoutOf(collection, sqliteDialect))
    writer.exec('BEGIN IMMEDIATE')
    const generation = prepareSchema(writer, layouts, format)
    writer.exec('COMMIT')
    const reader = new SqliteConnection(file, 'reader')
    // A write without waits for the disk takes microseconds: a longer lock belongs to a paused process, and must not
    // block the thread.
    writer.endOpening(isPassing ? 0 : undefined)
    const byName = new Map(layouts.map(layout => [layout.collection, layout]))
    const snapshots = new SnapshotConnections(file)
    return new SqliteStore({ file, isPassing, writer, reader, snapshots }, byName, generation)
  } catch (error) {
    writer.close()
    throw error
  }
}

/** The connections of a store to its file. */
interface SqliteConnections {
  readonly file: string
  readonly isPassing: boolean
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  readonly snapshots: SnapshotConnections
}

/**
 * The store port over a SQLite file: one writer connection, whose transactions run one after the other, one reader
 * connection for reads during these transactions (committed-reads.ts), and one connection for each snapshot. On a
 * single connection, readers would see uncommitted rows, and could report rows that a rollback then removes.
 */
export class SqliteStore extends StoreReader implements ServerStore {
  protected override readonly betweenPages = nextTurn
  readonly #file: string
  readonly #isPassing: boolean
  readonly #reader: SqliteConnection
  readonly #writer: SqliteConnection
  readonly #snapshots: SnapshotConnections
  readonly #layouts: Layouts
  readonly #generation: number
  readonly #queue = new FifoQueue()
  readonly #running = new AsyncLocalStorage<StoreTransaction>()
  readonly #beside: SqliteStore[] = []
  #dataVersion = -1
  /** The number of commits since the last commit that waited for the disk. */
  #unsaved = 0

  constructor(connections: SqliteConnections, layouts: Layouts, generation: number) {
    const { file, isPassing, reader, snapshots, writer } = connections
    super(new CommittedReads(writer, reader), layouts)
    this.#file = file
    this.#isPassing = isPassing
    this.#generation = generation
    this.#reader = reader
    this.#writer = writer
    this.#snapshots = snapshots
    this.#layouts = layouts
  }

  async tx<R>(fn: (tx: Transaction) => Promise<R>, options?: CommitOptions): Promise<R> {
    const { tx, result } = await this.#attempt(async () => {
      const tx = new StoreTransaction(this.#writer, this.#layouts)
      const result = await tx.within(() => this.#running.run(tx, fn, tx))
      tx.check()
      if (tx.isBound) checkGeneration(this.#writer.get(selectGeneration), this.#generation)
      return { tx, result }
    }, options)
    tx.committed()
    return result
  }

  snapshot<R>(read: (reader: Reader) => Promise<R>): Promise<R> {
    const attempt = (): Promise<R> =>
      this.#snapshots.run(async connection => {
        const reader = new ScopedReader(connection, this.#layouts)
        return reader.within(() => read(reader))
      })
    return inAttempts(attempt, isBusy)
  }

  async secret(name: string): Promise<Uint8Array> {
    const fresh = randomBytes(32)
    return this.#attempt(async () => {
      this.#writer.run('INSERT INTO ninefold_secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', [name, fresh])
      const value = this.#writer.get('SELECT value FROM ninefold_secrets WHERE name = ?', [name])?.[0]
      return value instanceof Uint8Array ? value : fresh
    })
  }

  reclaim(): Promise<boolean> {
    return inAttempts(() => this.#queue.run(async () => reclaimStep(this.#writer)), isBusy)
  }

  /** Writes the log back into the file and empties the log; deleted rows are overwritten in the file already. */
  readonly scrub = (): Promise<boolean> =>
    this.#queue.run(async () => {
      // A reader in this process can end only after the thread is free, so waiting would be in vain.
      this.#writer.endOpening(0)
      try {
        return this.#writer.get('PRAGMA wal_checkpoint(TRUNCATE)')?.[0] === 0
      } finally {
        this.#writer.endOpening()
      }
    })

  changedElsewhere(): boolean {
    // Commits of this writer change the value too; telling them apart would cost more than it saves.
    const version = Number(this.#reader.get('PRAGMA data_version')?.[0])
    const isChanged = version !== this.#dataVersion
    this.#dataVersion = version
    return isChanged
  }

  async beside(name: string, collections: readonly Collection<never>[]): Promise<Store> {
    const file = `${this.#file}-${name}`
    try {
      // Only the owner may read the file, as with the main file.
      closeSync(openSync(file, 'a', 0o600))
      // The data of the file does not last, so the file has no format number: older servers continue to write to the
      // file.
      const store = await openSqlite({ file, collections, format: 0, isPassing: true })
      this.#beside.push(store)
      return store
    } catch (error) {
      throw explained(file, error, remakeAdvice)
    }
  }

  /**
   * Waits for running transactions and snapshots, writes the log back into the file if possible, and closes the file.
   */
  close(): Promise<void> {
    const snapshots = this.#snapshots.close()
    return this.#queue.close(async () => {
      await Promise.all([snapshots, ...this.#beside.splice(0).map(store => store.close())])
      this.#reader.close()
      this.#writeBack()
      this.#writer.close()
    })
  }

  /**
   * Writes the log back into the file. If the disk is full or broken, the log stays: the next start reads the file and
   * the log.
   */
  #writeBack(): void {
    try {
      this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error
    }
  }

  /**
   * Runs `work` in a transaction, and repeats the transaction after a conflict or while the file is busy; other
   * transactions run during the delay.
   */
  async #attempt<R>(work: () => Promise<R>, options?: CommitOptions): Promise<R> {
    try {
      return await inAttempts(
        () => this.#exclusively(work, options?.isPassing),
        error => error instanceof Conflict || isBusy(error),
      )
    } catch (error) {
      const outage = outageOf(error)
      throw outage === undefined ? error : storeUnavailable(outage, error)
    }
  }

  async #exclusively<R>(work: () => Promise<R>, isPassing = false): Promise<R> {
    if (this.#running.getStore()?.isOpen) {
      throw new Error('a transaction inside a transaction would wait for itself; use the one that is open')
    }
    return this.#queue.run(async () => {
      const isUnsaved = this.#isPassing || (isPassing && this.#unsaved < mostUnsaved)
      this.#writer.waitForDisk(!isUnsaved)
      this.#writer.exec('BEGIN IMMEDIATE')
      try {
        const result = await work()
        this.#writer.exec('COMMIT')
        this.#unsaved = isUnsaved ? this.#unsaved + 1 : 0
        return result
      } catch (error) {
        this.#rollBack()
        throw error
      }
    })
  }

  /** Rolls an open transaction back. Some failures, such as a full disk, have rolled the transaction back already. */
  #rollBack(): void {
    if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK')
  }
}
