import { DatabaseError } from 'pg'
import { storeUnavailable } from '../retries.ts'

/** The SQLSTATEs that this store distinguishes (postgresql.org/docs, appendix A). */
export const sqlStates = {
  serializationFailed: '40001',
  deadlock: '40P01',
  uniqueViolated: '23505',
  lockTimeout: '55P03',
  cancelled: '57014',
} as const

/**
 * Matches the SQLSTATEs of a server that closed or refused the connection, or has too many connections; a retry may
 * succeed.
 */
const lostStates = /^(?:08|57P0|25P0[34]|53300)/

/** The obstacles of writing, each with its SQLSTATEs and the message for callers. */
const outages: readonly (readonly [states: RegExp, told: string])[] = [
  [/^53100$/, 'the disk of the store is full; try again when there is room'],
  [/^(?:53|54000|58)/, 'the store has not what it needs; try again later'],
  [/^(?:28|3D000)/, 'the store refuses this server; its operator has to look after it'],
  [/^25006$/, 'the store cannot be written; try again later'],
]

/**
 * The error of a connection that was lost, refused or could not be made; the message names neither address nor user.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'

  constructor(reason = 'no cause is known', cause?: unknown) {
    super(`the connection to the store is lost (${reason})`, { cause })
  }
}

/** Returns the SQLSTATE of a server error; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** Whether the server sent the error, so that its connection stays usable. */
export const isOfServer = (error: unknown): boolean => error instanceof DatabaseError

/** Whether the wait for a lock was too long; the server's error is the cause of the store's error. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && sqlStateOf(error.cause) === sqlStates.lockTimeout

/** Returns the name of the unique index that an error reports as violated; undefined for other errors. */
export function violatedIndex(error: unknown): string | undefined {
  return error instanceof DatabaseError && error.code === sqlStates.uniqueViolated ? error.constraint : undefined
}

/** Whether a failed transaction was rolled back and may succeed if it is repeated. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true
  const state = sqlStateOf(error)
  return state === sqlStates.serializationFailed || state === sqlStates.deadlock
}

/**
 * Returns the error of the store for an error of the driver: any error that is neither a timeout nor the server's
 * judgement of a statement means a lost connection. A timeout is not retried, because the caller has waited long
 * enough.
 */
export function convertedError(error: unknown): Error {
  const state = sqlStateOf(error)
  if (state === sqlStates.lockTimeout || state === sqlStates.cancelled)
    return storeUnavailable('the store is too slow; try again', error)
  if (error instanceof DatabaseError)
    return lostStates.test(state ?? '') ? new ConnectionLost(state, error) : told(error)
  const { message, code } = error instanceof Error ? { code: undefined, ...error, message: error.message } : {}
  if (/time-?out/i.test(message ?? '')) return storeUnavailable('the store does not answer; try again', error)
  return new ConnectionLost(typeof code === 'string' ? code : message, error)
}

function told(error: DatabaseError): Error {
  const [, outage] = outages.find(([states]) => states.test(error.code ?? '')) ?? []
  return outage === undefined ? error : storeUnavailable(outage, error)
}
