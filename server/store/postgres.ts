import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { Conflict, type Collection, type Reader, type Transaction } from '../../domain/ports/store.ts'
import { inAttempts } from './retries.ts'
import { storeFormat } from './format.ts'
import { checkGeneration, selectGeneration } from './schema-generation.ts'
import { layoutOf } from './layout.ts'
import { postgresDialect } from './postgres/dialect.ts'
import { isPassing } from './postgres/errors.ts'
import { ConnectionPool, type StoreTimes } from './postgres/pool.ts'
import { PooledConnection } from './postgres/pooled-connection.ts'
import { prepareSchema } from './postgres/schema.ts'
import { beginReading, PostgresSession } from './postgres/session.ts'
import { Prepared } from './postgres/statements.ts'
import { StoreReader, type Layouts } from './reader.ts'
import { ScopedReader } from './scoped-reader.ts'
import type { ServerStore } from './server-store.ts'
import { StoreTransaction } from './transaction.ts'

/** The place of a store and its collections. */
export interface PostgresOptions {
  /** The URL of the database: `postgres://user:password@host:port/database`. */
  readonly url: string
  readonly collections?: readonly Collection<never>[]
  /** The format number of documents; by default `storeFormat`. */
  readonly format?: number
  readonly times?: Partial<StoreTimes>
}

/** Opens an existing database, and migrates its tables to the declarations. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { url, collections = [], format = storeFormat, times } = options
  const layouts = collections.map(collection => layoutOf(collection, postgresDialect))
  const generation = await prepareSchema(url, layouts, format)
  const prepared = new Prepared()
  prepared.add(selectGeneration)
  for (const { get, lock, share, insert, update, delete: remove } of layouts) {
    for (const sql of [get, lock, share, insert, update, remove]) prepared.add(sql)
  }
  const byName = new Map(layouts.map(layout => [layout.collection, layout]))
  return new PostgresStore(new ConnectionPool(url, times), prepared, byName, generation)
}

/**
 * The store port over a PostgreSQL database, which many servers may share. Each transaction has its own connection of a
 * pool; reads outside of transactions run on any connection.
 */
export class PostgresStore extends StoreReader implements ServerStore {
  readonly #pool: ConnectionPool
  readonly #prepared: Prepared
  readonly #layouts: Layouts
  readonly #generation: number
  readonly #running = new AsyncLocalStorage<StoreTransaction>()

  constructor(pool: ConnectionPool, prepared: Prepared, layouts: Layouts, generation: number) {
    super(new PooledConnection(pool, prepared), layouts)
    this.#generation = generation
    this.#pool = pool
    this.#prepared = prepared
    this.#layouts = layouts
  }

  async tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R> {
    let last: StoreTransaction | undefined
    const run = async (): Promise<R> => {
      const { tx, result } = await this.#attempt(async session => {
        const tx = (last = new StoreTransaction(session, this.#layouts))
        const result = await tx.within(() => this.#running.run(tx, fn, tx))
        tx.check()
        // The generation is read after the writes; the lock of this read prevents a change of the tables before the
        // commit.
        if (tx.isBound) checkGeneration(await session.get(selectGeneration), this.#generation)
        return { tx, result }
      })
      tx.committed()
      return result
    }
    try {
      return await run()
    } catch (error) {
      if (!(await last?.isMadeByOther(this))) throw error
      // The transaction now finds the row of the other transaction.
      return await run()
    }
  }

  snapshot<R>(read: (reader: Reader) => Promise<R>): Promise<R> {
    const attempt = (): Promise<R> =>
      this.#once(async session => {
        const reader = new ScopedReader(session, this.#layouts)
        return reader.within(() => read(reader))
      }, beginReading)
    return this.#pool.track(() => inAttempts(attempt, isPassing))
  }

  async secret(name: string): Promise<Uint8Array> {
    const fresh = randomBytes(32)
    return this.#attempt(async session => {
      await session.run('INSERT INTO ninefold_secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING', [
        name,
        fresh,
      ])
      const value = (await session.get('SELECT value FROM ninefold_secrets WHERE name = ?', [name]))?.[0]
      return value instanceof Uint8Array ? value : fresh
    })
  }

  async time(): Promise<number> {
    const row = await this.connection.get('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint')
    return Number(row?.[0])
  }

  /** Waits for pending work and closes the connections. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Runs `work` in a transaction, and repeats the transaction after a conflict or a temporary failure. */
  async #attempt<R>(work: (session: PostgresSession) => Promise<R>): Promise<R> {
    if (this.#running.getStore()?.isOpen) {
      throw new Error('a transaction inside a transaction would wait for itself; use the one that is open')
    }
    return this.#pool.track(() =>
      inAttempts(
        () => this.#once(work),
        error => error instanceof Conflict || isPassing(error),
      ),
    )
  }

  async #once<R>(work: (session: PostgresSession) => Promise<R>, begin?: string): Promise<R> {
    const client = await this.#pool.connect()
    const session = new PostgresSession(client, this.#prepared)
    try {
      return await session.transact(() => work(session), begin)
    } finally {
      client.release(!session.end())
    }
  }
}
