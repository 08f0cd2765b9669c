import type { CallContext } from '../../runtime/context.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { AreaTypes } from '../../runtime/route.ts'
import type { WorkOrder } from './procedures.ts'
import type { Collection, Transaction } from './store.ts'
import type { Scope } from './scope.ts'
import type { Warning } from './warning.ts'

/** The result of a mutation, for the operation record and for the audit. */
export interface Effect<Area extends AreaTypes = AreaTypes> {
  /** The operation type without the prefix of the area, for example `CREATE`. */
  readonly type: Area['operationType']
  /** The resource type, for example `taxonomy.quotas`. */
  readonly resourceType: Area['resourceType']
  readonly resourceId: string
  readonly scope: Scope
  /**
   * The scopes from the organisation to `scope`, if the mutation has read them. The chain of a deleted scope cannot be
   * read later.
   */
  readonly chain?: readonly Scope[]
  readonly warnings?: readonly Warning[]
  /** The paths of the changed fields, never their values, for the audit (conventions §13). */
  readonly changed?: readonly string[]
  /** The number of things that a run of a worker has removed, for the activity; absent: 1. */
  readonly count?: number
  /**
   * The background work after the response: the operation is PENDING until the procedure ends. Absent: the operation is
   * DONE.
   */
  readonly procedure?: WorkOrder
}

/** The operations of one area (conventions §5). */
export interface Operations<Area extends AreaTypes> {
  /** The collection of the operation records. */
  readonly collection: Collection<Area['record']>
  /**
   * Runs a mutation. One transaction writes the change, the operation record, the following work, the activity and the
   * row of the call's Idempotency-Key. The operation is DONE, or PENDING if the effect names a procedure. A repeated
   * key with an equal `request` returns the recorded operation in its present state and changes nothing; with another
   * request, `mutate` throws IDEMPOTENCY_KEY_REUSED (conventions §6). `change` gets the id of the operation, and follows
   * the rules of `Store.tx`.
   */
  mutate(
    context: CallContext,
    request: object,
    change: (tx: Transaction, operationId: string) => Promise<Effect<Area>>,
  ): Promise<JsonText<Area['record']>>
  /**
   * Returns a DONE operation for a call that changed nothing. Neither the operation nor an activity nor the
   * Idempotency-Key is stored, so that calls without a caller cannot fill the store.
   */
  unrecorded(context: CallContext, effect: Effect<Area>): JsonText<Area['record']>
  /**
   * Records an operation of the system principal that no caller requested, without a trace id, in the transaction of
   * the caller. The operation is DONE, or PENDING if the effect names a procedure. Returns the id of the operation.
   */
  begin(tx: Transaction, effect: Effect<Area>): Promise<string>
  /**
   * Starts background work without an operation, in the transaction of the caller; the work begins after `afterMs`
   * milliseconds if given. Failures of the work are logged.
   */
  follow(tx: Transaction, work: WorkOrder & { readonly scope: Scope; readonly afterMs?: number }): Promise<void>
  /**
   * Ends a PENDING or RUNNING operation with OPERATION_CANCELLED, with `reason` as the description, in the transaction
   * of the caller, and aborts the running step. Returns false if the operation has no unfinished work, otherwise true.
   */
  cancel(tx: Transaction, operationId: string, reason: string): Promise<boolean>
}
