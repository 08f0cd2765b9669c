import type { Clock } from './clock.ts'
import type { Reader, Transaction } from './store.ts'
import type { Scope } from './scope.ts'
import type { Warning } from './warning.ts'

/** A failure that ends an operation; `code` is the full S_SSS_EEE number of its reason (conventions §5, §7). */
export interface OperationError {
  readonly code: number
  readonly reason: string
  readonly description: string
}

/** A warning of a running operation. Warnings with equal code and description are kept once. */
export interface StepWarning extends Warning {
  /**
   * Whether the warning replaces an earlier warning with the same code, so that a step that is retried without limit
   * does not add warnings without limit.
   */
  readonly isOnly?: boolean
}

/**
 * The data of a piece of durable work. `Input` is the input of the procedure, `Checkpoint` the value that its steps
 * saved.
 */
export interface WorkFacts<Input, Checkpoint = unknown> {
  /** The id of the operation; undefined for work without an operation. */
  readonly operationId: string | undefined
  readonly input: Input
  /** The value that a step has saved last; undefined before the first save. */
  readonly checkpoint: Checkpoint | undefined
  readonly scope: Scope
  /**
   * The principal that caused the work. Work that no caller requested has the system principal and an empty trace id.
   */
  readonly principalId: string
  readonly traceId: string
}

/** The context of a step while it holds the lease of its work. */
export interface StepContext<Input, Checkpoint = unknown> extends WorkFacts<Input, Checkpoint> {
  /** The number of the attempt: 1, plus 1 for each failure of the step with UNAVAILABLE. */
  readonly attempt: number
  /** Aborted if the server stops, if another caller ends the operation, or if the lease is lost. */
  readonly signal: AbortSignal
  readonly store: Reader
  readonly clock: Clock
  /**
   * Runs a transaction as `Store.tx`, but throws before `fn` writes if this process has lost the lease of the work. A
   * step writes only through `tx` and `save`, so two owners can never both commit.
   */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
  /**
   * Runs a transaction as `tx`, and stores `checkpoint`, a JSON value, in the same transaction. A repeated step
   * continues from the checkpoint.
   */
  save(checkpoint: Checkpoint, fn?: (tx: Transaction) => Promise<void>): Promise<void>
  /**
   * Sets the progress in percent. The progress is stored with the next `save`, heartbeat or end of the step. The
   * progress never falls, and is 100 only at DONE.
   */
  progress(percent: number): void
  /**
   * Adds a warning. The warning is stored with the next `save`, heartbeat or end of the step. An operation has at most
   * 100 different warnings.
   */
  warn(warning: StepWarning): void
}

/** The result of one run of a step. */
export type StepOutcome =
  /**
   * The next step follows; after the last step the operation is DONE. `finish` runs in the transaction that records the
   * result.
   */
  | { readonly kind: 'done'; readonly finish?: (tx: Transaction) => Promise<void> }
  /**
   * The step runs again after `afterMs` milliseconds, so that other work can run before. `cause` is the failure, for
   * the log.
   */
  | { readonly kind: 'again'; readonly afterMs: number; readonly cause?: unknown }
  /** The operation ends with ERROR. */
  | { readonly kind: 'failed'; readonly errors: readonly [OperationError, ...OperationError[]] }

/**
 * One step of a procedure. The store contains the names of steps, so a name must not change while work is in progress.
 */
export interface Step<Input, Checkpoint = unknown> {
  readonly name: string
  /**
   * Runs the step. A step must be idempotent: after a crash or a lost lease, the step runs again from its start. A
   * thrown UNAVAILABLE is retried three times, after 1, 2 and 4 s. Any other thrown error ends the operation with the
   * error INTERNAL of the area.
   */
  run(context: StepContext<Input, Checkpoint>): Promise<StepOutcome>
}

/**
 * Durable work as a list of steps (conventions §15). The work survives the process, because the end of every step is
 * recorded.
 */
export interface Procedure<Input, Checkpoint = unknown> {
  /** The kind of the work, `<area>.<name>`, for example `taxonomy.lifecycle`. */
  readonly kind: string
  readonly steps: readonly Step<Input, Checkpoint>[]
  /**
   * The time limit of the work in milliseconds, by default 15 minutes; `none` for work without a limit. After the
   * limit, the operation ends with OPERATION_DEADLINE_EXCEEDED.
   */
  readonly deadlineMs?: number | 'none'
  /**
   * Runs in the transaction that ends the work with ERROR because of a step, the deadline or a cancellation. Must take
   * the resource out of its transient state. Follows the rules of `Store.tx`.
   */
  failed?(
    tx: Transaction,
    work: WorkFacts<Input, Checkpoint>,
    errors: readonly [OperationError, ...OperationError[]],
  ): Promise<void>
}

/** An order for durable work: a declared kind, and the input of its steps as JSON without secrets. */
export interface WorkOrder {
  readonly kind: string
  readonly input: object
  /** The time limit in milliseconds, instead of that of the procedure. */
  readonly deadlineMs?: number
}

/**
 * Returns the outcome that ends the step. `finish` runs in the transaction that records the end; after the last step,
 * the same transaction also ends the operation.
 */
export const done = (finish?: (tx: Transaction) => Promise<void>): StepOutcome => ({
  kind: 'done',
  ...(finish && { finish }),
})

/** Returns the outcome that repeats the step after `afterMs` milliseconds; `cause` is the failure, if any. */
export const again = (afterMs: number, cause?: unknown): StepOutcome => ({ kind: 'again', afterMs, cause })

/** Returns the outcome that ends the operation with these errors. */
export const failed = (...errors: readonly [OperationError, ...OperationError[]]): StepOutcome => ({
  kind: 'failed',
  errors,
})
