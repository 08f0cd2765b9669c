import { Client, Pool, types, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { PendingWork } from '../pending-work.ts'
import { convertedError } from './errors.ts'
import { unescapeText } from './text.ts'

/** The number of connections of one process; PostgreSQL's own limit of 100 leaves room for several servers. */
const poolSize = 10

/** The time limits of a store, in milliseconds. */
export interface StoreTimes {
  /** The time limit for a connection of the pool, or for a new connection. */
  readonly connectMs: number
  /** The time limit for a row that another transaction has locked. */
  readonly lockMs: number
  /** The time limit for a statement on the server. */
  readonly statementMs: number
  /** The time limit for the answer to a statement, if the server or the network is silent. */
  readonly answerMs: number
  /**
   * The time limit for the next statement of a transaction; then the server ends the transaction. The limit is shorter
   * than leases, so that a stalled process does not delay others.
   */
  readonly idleMs: number
}

const usualTimes: StoreTimes = {
  connectMs: 5000,
  lockMs: 5000,
  statementMs: 20_000,
  answerMs: 25_000,
  idleMs: 10_000,
}

const timeouts = (times: StoreTimes): PoolConfig => ({
  connectionTimeoutMillis: times.connectMs,
  lock_timeout: times.lockMs,
  statement_timeout: times.statementMs,
  query_timeout: times.answerMs,
  idle_in_transaction_session_timeout: times.idleMs,
})

/** The options of all connections. */
const settings = {
  application_name: 'ninefold',
  keepAlive: true,
  types: { getTypeParser: (oid: number) => parsers.get(oid) ?? String },
} as const satisfies ClientConfig

/** The parsers of values, keyed by the number of the type; 64-bit integers are exact, all other values are text. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, exactInteger],
  [types.builtins.TEXT, unescapeText],
  [types.builtins.BYTEA, types.getTypeParser(types.builtins.BYTEA)],
])

function exactInteger(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

/** Opens a single connection for long work, without timeouts except, on request, for locks. The caller closes it. */
export async function connectedClient(url: string, lockMs?: number): Promise<Client> {
  const times = {
    connectionTimeoutMillis: usualTimes.connectMs,
    ...(lockMs === undefined ? {} : { lock_timeout: lockMs }),
  }
  const client = new Client({ ...settings, ...times, connectionString: url })
  client.on('error', ignore)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(ignore)
    throw convertedError(error)
  }
}

/** Ignores the error of a lost connection, because the running or next statement of the connection fails. */
const ignore = (): void => undefined

/** The connections of one store. Pending work must end before they are closed. */
export class ConnectionPool {
  readonly #pool: Pool
  readonly #underWay = new PendingWork()

  constructor(url: string, times: Partial<StoreTimes> = {}) {
    // The pool shows its options when it is printed, so the address stays private here.
    class OwnClient extends Client {
      constructor(config?: ClientConfig) {
        super({ ...config, connectionString: url })
      }
    }
    this.#pool = new Pool({ ...settings, ...timeouts({ ...usualTimes, ...times }), max: poolSize, Client: OwnClient })
    this.#pool.on('error', ignore)
    this.#pool.on('connect', client => client.on('error', ignore))
  }

  /** Settles as `work` does; `close` waits for the end of `work`. */
  track<R>(work: () => Promise<R>): Promise<R> {
    return this.#underWay.run(work)
  }

  /** Returns an exclusive connection, which the caller releases. */
  connect(): Promise<PoolClient> {
    return this.#pool.connect().catch((error: unknown) => {
      throw convertedError(error)
    })
  }

  /** Refuses new work, waits for pending work and closes the connections. */
  async close(): Promise<void> {
    if (await this.#underWay.close()) await this.#pool.end()
  }
}
