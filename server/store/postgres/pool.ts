import { Client, Pool, types, type ClientConfig, type PoolClient, type PoolConfig } from 'pg'
import { UnderWay } from '../pending-work.ts'
import { toldError } from './errors.ts'
import { unescapeText } from './text.ts'

/** Connections of one process; with PostgreSQL's own limit of 100 some servers have room beside each other. */
const poolSize = 10

/** What a store waits for, in milliseconds. */
export interface StoreTimes {
  /** For a connection, that of the pool or a new one. */
  readonly connectMs: number
  /** For a row that another transaction holds. */
  readonly lockMs: number
  /** For a statement to end on the server. */
  readonly statementMs: number
  /** For the answer to a statement, when the server or the network is silent. */
  readonly answerMs: number
  /** For the next statement of a transaction; then the server ends it. Shorter than leases: who stalls holds up nobody. */
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

/** What is the same for all connections. */
const settings = {
  application_name: 'ninefold',
  keepAlive: true,
  types: { getTypeParser: (oid: number) => parsers.get(oid) ?? String },
} as const satisfies ClientConfig

/** Values as they are read, by the number of their type; 64-bit integers are exact, all else is text. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [types.builtins.INT8, exactInteger],
  [types.builtins.TEXT, unescapeText],
  [types.builtins.BYTEA, types.getTypeParser(types.builtins.BYTEA)],
])

function exactInteger(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

/**
 * One connection to the server, for what takes long: nothing times out but, when it is said, what waits for a lock. The
 * caller ends it.
 */
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
    throw toldError(error)
  }
}

/** A lost connection fails the statement that runs on it or the next one; nothing else is to be done. */
const ignore = (): void => undefined

/** The connections of one store. What is under way is waited for before they are closed. */
export class ConnectionPool {
  readonly #pool: Pool
  readonly #underWay = new UnderWay()

  constructor(url: string, times: Partial<StoreTimes> = {}) {
    // The pool shows its options to whoever prints it, so the address stays in here.
    class OwnClient extends Client {
      constructor(config?: ClientConfig) {
        super({ ...config, connectionString: url })
      }
    }
    this.#pool = new Pool({ ...settings, ...timeouts({ ...usualTimes, ...times }), max: poolSize, Client: OwnClient })
    this.#pool.on('error', ignore)
    this.#pool.on('connect', client => client.on('error', ignore))
  }

  /** Settles as `work` does, which `close` waits for. */
  track<R>(work: () => Promise<R>): Promise<R> {
    return this.#underWay.run(work)
  }

  /** A connection of one's own; to be released. */
  connect(): Promise<PoolClient> {
    return this.#pool.connect().catch((error: unknown) => {
      throw toldError(error)
    })
  }

  /** Takes nothing new, waits for what is under way and ends the connections. */
  async close(): Promise<void> {
    if (await this.#underWay.close()) await this.#pool.end()
  }
}
