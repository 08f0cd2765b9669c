import type { CallContext } from '../../runtime/context.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { AreaTypes } from '../../runtime/route.ts'
import type { WorkOrder } from './procedures.ts'
import type { Collection, Transaction } from './store.ts'
import type { Scope } from './scope.ts'
import type { Warning } from './warning.ts'

/** What a mutation did, as its operation records it. */
export interface Effect<Area extends AreaTypes = AreaTypes> {
  /** Without the area's prefix: `CREATE`. */
  readonly type: Area['operationType']
  /** `taxonomy.quotas`. */
  readonly resourceType: Area['resourceType']
  readonly resourceId: string
  readonly scope: Scope
  /** The scopes from the organisation to `scope`, where they are at hand; where that is deleted nobody can ask for them. */
  readonly chain?: readonly Scope[]
  readonly warnings?: readonly Warning[]
  /** The paths of the fields that changed, never their values: what is audited (conventions §13). */
  readonly changed?: readonly string[]
  /** What is left to do after the answer: the operation is PENDING until it is done. Absent: it is DONE. */
  readonly procedure?: WorkOrder
}

/** The operations of one area (conventions §5). */
export interface Operations<Area extends AreaTypes> {
  /** Where the records are read. */
  readonly collection: Collection<Area['record']>
  /**
   * Runs a mutation: `change`, the record of the operation, the work that is left and the activity are written in one
   * transaction, with the row of the call's Idempotency-Key. The operation is DONE, or PENDING when the effect names a
   * procedure. A repeated key with the same `request` answers the recorded operation as it is now and changes nothing;
   * with another one it raises IDEMPOTENCY_KEY_REUSED (conventions §6). `change` follows the rules of `Store.tx`.
   */
  mutate(
    context: CallContext,
    request: object,
    change: (tx: Transaction) => Promise<Effect<Area>>,
  ): Promise<JsonText<Area['record']>>
  /**
   * Records what nobody asked for, in the caller's transaction: an operation of the system principal without a trace,
   * DONE, or PENDING when the effect names a procedure. Answers its id.
   */
  begin(tx: Transaction, effect: Effect<Area>): Promise<string>
  /**
   * Begins, in the caller's transaction, work that has no operation, after `afterMs` when that is given. What it fails
   * with is logged.
   */
  follow(tx: Transaction, work: WorkOrder & { readonly scope: Scope; readonly afterMs?: number }): Promise<void>
  /**
   * Ends a PENDING or RUNNING operation with OPERATION_CANCELLED and `reason` as its description, in the caller's
   * transaction; the step that is running is aborted. False when it has no work left to be cancelled.
   */
  cancel(tx: Transaction, operationId: string, reason: string): Promise<boolean>
}
