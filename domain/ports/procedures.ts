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

/** A warning of a running operation. Of the same code and description one is kept. */
export interface StepWarning extends Warning {
  /** It takes the place of an earlier one of its code: what is tried for ever must not warn for ever. */
  readonly isOnly?: boolean
}

/** What a piece of durable work is about. `Input` is what it was begun with, `Checkpoint` what its steps saved. */
export interface WorkFacts<Input, Checkpoint = unknown> {
  /** Undefined for work that has no operation of its own. */
  readonly operationId: string | undefined
  readonly input: Input
  /** What was saved last, by whatever step; undefined before the first time. */
  readonly checkpoint: Checkpoint | undefined
  readonly scope: Scope
  /** Who caused it: the system principal for unasked work, whose trace id is empty. */
  readonly principalId: string
  readonly traceId: string
}

/** What a step knows and can do while it holds the lease of its work. */
export interface StepContext<Input, Checkpoint = unknown> extends WorkFacts<Input, Checkpoint> {
  /** 1, and one more for each time that the step failed with UNAVAILABLE. */
  readonly attempt: number
  /** Aborted when the server stops, the operation was ended by somebody else, or the lease is lost. */
  readonly signal: AbortSignal
  readonly store: Reader
  readonly clock: Clock
  /**
   * As `Store.tx`, and throws before `fn` writes anything when this process does not hold the lease of the work any
   * more. All that a step writes goes through here or through `save`: two owners never both commit.
   */
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
  /** As `tx`, and keeps `checkpoint`, JSON, in the same transaction: a step that is run again goes on from there. */
  save(checkpoint: Checkpoint, fn?: (tx: Transaction) => Promise<void>): Promise<void>
  /** Percent. Kept with the next `save` or heartbeat or at the end of the step; never falls, 100 only at DONE. */
  progress(percent: number): void
  /** Kept as progress is. At most 100 different ones are. */
  warn(warning: StepWarning): void
}

/** How a run of a step ended. */
export type StepOutcome =
  /** The next step follows; after the last one the operation is DONE. `finish` is in the transaction that says so. */
  | { readonly kind: 'done'; readonly finish?: (tx: Transaction) => Promise<void> }
  /** The same step is run again after so long; meanwhile others have their turn. `cause` is what has failed, for the log. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly cause?: unknown }
  /** The operation ends with ERROR. */
  | { readonly kind: 'failed'; readonly errors: readonly [OperationError, ...OperationError[]] }

/** One step. Its name is kept in the store, so that it must not change while work is under way. */
export interface Step<Input, Checkpoint = unknown> {
  readonly name: string
  /**
   * Idempotent: after a crash or a lost lease it is run again from its start. A thrown UNAVAILABLE is retried three
   * times, after 1, 2 and 4 s; everything else that is thrown ends the operation with INTERNAL of the area.
   */
  run(context: StepContext<Input, Checkpoint>): Promise<StepOutcome>
}

/** Durable work as a table of steps (conventions §15). It survives the process: every step's end is recorded. */
export interface Procedure<Input, Checkpoint = unknown> {
  /** `<area>.<name>`: `taxonomy.lifecycle`. */
  readonly kind: string
  readonly steps: readonly Step<Input, Checkpoint>[]
  /** From the beginning to the end, 15 minutes when absent; beyond, the operation ends with OPERATION_DEADLINE_EXCEEDED. */
  readonly deadlineMs?: number | 'none'
  /**
   * In the transaction that ends the work with ERROR, whatever the reason: a step, the deadline or a cancellation.
   * Takes the resource out of its transient state; follows the rules of `Store.tx`.
   */
  failed?(
    tx: Transaction,
    work: WorkFacts<Input, Checkpoint>,
    errors: readonly [OperationError, ...OperationError[]],
  ): Promise<void>
}

/** Durable work that is to be begun: a declared kind, and what its steps need, JSON without secrets. */
export interface WorkOrder {
  readonly kind: string
  readonly input: object
}

/** The step is done; `finish` is in the transaction that records it, with the end of the operation after the last step. */
export const done = (finish?: (tx: Transaction) => Promise<void>): StepOutcome => ({
  kind: 'done',
  ...(finish && { finish }),
})

/** The step is to be run again after `afterMs`; `cause` is what has failed, where something has. */
export const again = (afterMs: number, cause?: unknown): StepOutcome => ({ kind: 'again', afterMs, cause })

/** The operation ends with these errors. */
export const failed = (...errors: readonly [OperationError, ...OperationError[]]): StepOutcome => ({
  kind: 'failed',
  errors,
})
