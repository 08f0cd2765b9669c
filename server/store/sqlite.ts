import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Conflict, type Collection, type Store, type Transaction } from '../../domain/ports/store.ts'
import { Connection } from './connection.ts'
import { isBusy, storeUnavailable } from './errors.ts'
import { layoutOf, type Layout } from './layout.ts'
import { migrate } from './migrations.ts'
import { FifoQueue } from './queue.ts'
import { SqliteReader } from './reader.ts'
import { prepareTable } from './tables.ts'
import { SqliteTransaction } from './transaction.ts'

/** How often a transaction runs before the store gives up (conventions §16). */
const maxAttempts = 10

/** Where a store lies and what it keeps. */
export interface SqliteOptions {
  readonly file: string
  readonly collections?: readonly Collection<never>[]
}

/** Opens a file, made when absent, and brings its tables up to the declarations. */
export async function openSqlite({ file, collections = [] }: SqliteOptions): Promise<SqliteStore> {
  const writer = new Connection(file, 'writer')
  try {
    writer.exec('BEGIN IMMEDIATE')
    migrate(writer)
    writer.exec('COMMIT')
    const store = new SqliteStore(writer, new Connection(file, 'reader'), new Map())
    await store.declare(collections)
    writer.endOpening()
    return store
  } catch (error) {
    writer.close()
    throw error
  }
}

/**
 * The store port over one file of SQLite: one writer connection whose transactions run one after the other, and one
 * reader connection, which sees committed rows only. On a single connection readers see uncommitted rows, and the
 * rollback of one transaction undoes what another was told is written.
 */
export class SqliteStore extends SqliteReader implements Store {
  readonly #writer: Connection
  readonly #layouts: Map<string, Layout>
  readonly #queue = new FifoQueue()
  readonly #running = new AsyncLocalStorage<SqliteTransaction>()

  constructor(writer: Connection, reader: Connection, layouts: Map<string, Layout>) {
    super(reader, layouts)
    this.#writer = writer
    this.#layouts = layouts
  }

  /** Makes or extends the tables of collections; those declared before stay. */
  async declare(collections: readonly Collection<never>[]): Promise<void> {
    const layouts = collections.map(layoutOf)
    await this.#exclusively(async () => layouts.forEach(layout => prepareTable(this.#writer, layout)))
    for (const layout of layouts) this.#layouts.set(layout.collection, layout)
  }

  async tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
    const { tx, result } = await this.#attempt(async () => {
      const tx = new SqliteTransaction(this.#writer, this.#layouts)
      try {
        return { tx, result: await this.#running.run(tx, fn, tx) }
      } finally {
        tx.end()
      }
    })
    tx.committed()
    return result
  }

  /**
   * 32 random bytes of this installation under `name`, made when they are first asked for: keys of page tokens and
   * the like, the same for all servers on the store.
   */
  async secret(name: string): Promise<Uint8Array> {
    const fresh = randomBytes(32)
    return this.#attempt(async () => {
      this.#writer.run('INSERT INTO ninefold_secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', [name, fresh])
      const value = this.#writer.get('SELECT value FROM ninefold_secrets WHERE name = ?', [name])?.[0]
      return value instanceof Uint8Array ? value : fresh
    })
  }

  /** Waits for the transactions that were begun, writes the log back into the file and closes it. */
  close(): Promise<void> {
    return this.#queue.close(async () => {
      this.connection.close()
      this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      this.#writer.close()
    })
  }

  /** Runs `work` in a transaction, again after a conflict; others have their turn while it backs off. */
  async #attempt<R>(work: () => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#exclusively(work)
      } catch (error) {
        if (!(error instanceof Conflict) && !isBusy(error)) throw error
        if (attempt >= maxAttempts) throw storeUnavailable()
        await sleep(backOffMs(attempt))
      }
    }
  }

  async #exclusively<R>(work: () => Promise<R>): Promise<R> {
    if (this.#running.getStore()?.isOpen) {
      throw new Error('a transaction inside a transaction would wait for itself; use the one that is open')
    }
    return this.#queue.run(async () => {
      this.#writer.exec('BEGIN IMMEDIATE')
      try {
        const result = await work()
        this.#writer.exec('COMMIT')
        return result
      } catch (error) {
        this.#rollBack()
        throw error
      }
    })
  }

  /** Some failures, a full disk among them, have rolled back already. */
  #rollBack(): void {
    if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK')
  }
}

/** 5 to 200 ms, doubling, of which a random part is waited: two that collided do not meet again. */
function backOffMs(attempt: number): number {
  const most = Math.min(200, 5 * 2 ** attempt)
  return 5 + Math.random() * (most - 5)
}
