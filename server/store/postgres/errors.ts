import { DatabaseError } from 'pg'
import { storeUnavailable } from '../retries.ts'

/** SQLSTATEs that this store tells apart (postgresql.org/docs, appendix A). */
export const sqlStates = {
  serializationFailed: '40001',
  deadlock: '40P01',
  uniqueViolated: '23505',
  lockTimeout: '55P03',
  cancelled: '57014',
} as const

/** The server ended the connection, refused it, or has too many: soon there may be another. */
const lostStates = /^(?:08|57P0|25P0[34]|53300)/

/** What keeps a server from writing that may be over later, for callers. */
const outages: readonly (readonly [states: RegExp, told: string])[] = [
  [/^53100$/, 'the disk of the store is full; try again when there is room'],
  [/^(?:53|54000|58)/, 'the store has not what it needs; try again later'],
  [/^(?:28|3D000)/, 'the store refuses this server; its operator has to look after it'],
  [/^25006$/, 'the store cannot be written; try again later'],
]

/** The connection was lost, refused or could not be made; names neither the address nor who connects. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'

  constructor(reason = 'no cause is known', cause?: unknown) {
    super(`the connection to the store is lost (${reason})`, { cause })
  }
}

/** The SQLSTATE of an error that the server sent, else undefined. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** Whether the server sent the error, so that its connection can be used further. */
export const isOfServer = (error: unknown): boolean => error instanceof DatabaseError

/** Whether a lock was waited for too long; what the server said is the cause of what the store tells. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && stateOf(error.cause) === sqlStates.lockTimeout

/** The name of the unique index that an error says is violated; undefined for any other error. */
export function violatedIndex(error: unknown): string | undefined {
  return error instanceof DatabaseError && error.code === sqlStates.uniqueViolated ? error.constraint : undefined
}

/** Whether a transaction that failed so was undone and may succeed when it is run again. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true
  const state = stateOf(error)
  return state === sqlStates.serializationFailed || state === sqlStates.deadlock
}

/**
 * What the driver threw, as the store tells it: all but the server's judgement of a statement means that there is no
 * connection. What took too long is not tried again, for whoever calls has waited long enough.
 */
export function toldError(error: unknown): Error {
  const state = stateOf(error)
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
