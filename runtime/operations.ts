import { backOff, deadlineExceeded, realTiming, within } from './retry.ts'
import type { ClientRoute } from './route.ts'
import { retryAfter } from './status.ts'
import { send } from './transport.ts'
import type { CallOptions, Transport } from './transport.ts'

/** The common members of operation records (conventions §5); `status` ends with one of the states below. */
export interface OperationRecord {
  readonly id: string
  /** The status with the area's prefix, such as `TAXONOMY_OPERATION_STATUS_DONE`. */
  readonly status: string
  readonly errors?: readonly { readonly code?: number; readonly description?: string; readonly reason?: string }[]
  readonly warnings?: readonly { readonly code?: number; readonly description?: string }[]
  /** The progress in percent; it never falls, and is 100 at DONE. */
  readonly progress?: number
}

/** The allowed next states of each state: forward only, and none after an end. */
export const operationTransitions = {
  PENDING: ['RUNNING', 'DONE', 'ERROR'],
  RUNNING: ['DONE', 'ERROR'],
  DONE: [],
  ERROR: [],
} as const satisfies Record<string, readonly string[]>

/** The state of an operation, without the prefix of its area. */
export type OperationState = keyof typeof operationTransitions

/** Returns the state in a record's status, for any area; undefined for an unknown newer state. */
export function stateOf(record: OperationRecord): OperationState | undefined {
  const name = record.status.slice(record.status.lastIndexOf('_') + 1)
  return isState(name) ? name : undefined
}

/** Whether an operation may go from one state to the other. */
export function mayBecome(from: OperationState, to: OperationState): boolean {
  const next: readonly OperationState[] = operationTransitions[from]
  return next.includes(to)
}

/** Whether an operation has ended: DONE or ERROR. */
export function isEnded(record: OperationRecord): boolean {
  const state = stateOf(record)
  return state === 'DONE' || state === 'ERROR'
}

const isState = (name: string): name is OperationState => Object.hasOwn(operationTransitions, name)

/**
 * The delay after the first poll, in milliseconds. The delay doubles with each poll, up to 5 s, unless the server sends
 * `Retry-After`.
 */
const firstDelay = 250

/** The default time limit of a wait, in milliseconds (conventions §15). */
const defaultTimeoutMs = 900_000

/** The options of `wait`. */
export interface WaitOptions<T> extends Pick<CallOptions, 'signal' | 'headers'> {
  /**
   * The time limit of the whole wait in milliseconds, by default 15 minutes. The operation itself continues after the
   * time limit.
   */
  readonly timeoutMs?: number
  /** Receives every record that is read, the last record included. */
  readonly onProgress?: (record: T) => void
}

type ErrorOf<T extends OperationRecord> = NonNullable<T['errors']>[number]

/**
 * The error of an operation that ended with ERROR. `errors` are the errors of its record, and `reason` is the reason of
 * the first error.
 */
export class OperationFailed<T extends OperationRecord = OperationRecord> extends Error {
  override readonly name = 'OperationFailed'
  readonly record: T
  readonly errors: readonly ErrorOf<T>[]
  readonly reason: ErrorOf<T>['reason'] | undefined

  constructor(record: T) {
    const errors: readonly ErrorOf<T>[] = record.errors ?? []
    super(errors[0]?.description ?? `operation ${record.id} failed`)
    this.record = record
    this.errors = errors
    this.reason = errors[0]?.reason
  }
}

/**
 * Waits until an operation is DONE and returns its last record. `operation` is the record in the answer of a mutation,
 * or its id. Rejects with `OperationFailed` at ERROR, with `ApiError` DEADLINE_EXCEEDED after the time limit, with the
 * signal's reason, and as `send` does if a poll fails.
 */
export async function wait<T extends OperationRecord>(
  transport: Transport,
  getRoute: ClientRoute<{ readonly id: string }, T>,
  operation: T | string,
  options: WaitOptions<T> = {},
): Promise<T> {
  const { timeoutMs = defaultTimeoutMs, onProgress, signal: outer, headers = {} } = options
  const { now, sleep } = { ...realTiming, ...transport.timing }
  const id = typeof operation === 'string' ? operation : operation.id
  if (typeof operation !== 'string' && isEnded(operation)) return settled(operation)
  const what = `operation ${id}`
  const deadline = now() + timeoutMs

  return within(timeoutMs, what, outer, async signal => {
    for (let poll = 0; ; poll += 1) {
      let seconds: number | undefined
      const onHeaders = (answered: Headers): void => void (seconds = retryAfter(answered, now()))
      const record = await send(transport, getRoute, { id }, { signal, headers, onHeaders })
      onProgress?.(record)
      signal.throwIfAborted()
      if (isEnded(record)) return settled(record)
      const delay = seconds === undefined ? backOff(poll, firstDelay) : seconds * 1000
      if (now() + delay >= deadline) throw deadlineExceeded(what, timeoutMs)
      await sleep(delay, signal)
    }
  })
}

function settled<T extends OperationRecord>(record: T): T {
  if (stateOf(record) === 'ERROR') throw new OperationFailed(record)
  return record
}
