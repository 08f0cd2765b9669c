import type { CallContext } from '../../runtime/context.ts'
import type { Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/** One thing that somebody did or was refused (conventions §13). It never holds values, only the names of fields. */
export interface Activity {
  readonly category: 'ADMIN_WRITE' | 'DATA_WRITE' | 'DATA_READ' | 'ACCESS_DENIED' | 'AUTHENTICATION' | 'SYSTEM'
  readonly area: string
  /** The operationId of the call; of work of the platform the name of what was done. */
  readonly action: string
  /** The key that the call needs; empty when it needs none. */
  readonly permission: string
  readonly resourceType: string
  readonly resourceId: string
  readonly scope: Scope
  /** The scopes from the organisation to `scope`; absent: it is still there to be asked. */
  readonly chain?: readonly Scope[] | undefined
  readonly principalId: string
  readonly principalKind: 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM' | 'ANONYMOUS'
  readonly outcome: 'SUCCEEDED' | 'DENIED' | 'FAILED'
  /** Of an outcome that is no success: the reason of its error. */
  readonly reason: string
  /** Paths as a mask writes them. */
  readonly changedFields: readonly string[]
  /** The id of the operation's record; empty when there is none. */
  readonly operationId: string
  readonly traceId: string
  readonly requestId: string
  /** The address of the caller; empty for work of the platform. */
  readonly clientAddress: string
}

/** Where activities are recorded. */
export interface Audit {
  /** Records an activity in the transaction of what it tells of: both are kept or none. */
  recordActivity(tx: Transaction, activity: Activity): Promise<void>
}

type Caller = Pick<
  Activity,
  'area' | 'action' | 'permission' | 'principalId' | 'principalKind' | 'traceId' | 'requestId' | 'clientAddress'
>

const principalKinds = { user: 'USER', service_account: 'SERVICE_ACCOUNT', system: 'SYSTEM' } as const

/** What an activity says of the call that it belongs to. */
export function calledBy(context: CallContext): Caller {
  const { clientAddress, operation, principal, requestId, traceId } = context
  return {
    area: operation?.area ?? '',
    action: operation?.operationId ?? '',
    permission: operation?.permission ?? '',
    principalId: principal?.id ?? '',
    principalKind: principal === undefined ? 'ANONYMOUS' : principalKinds[principal.kind],
    traceId,
    requestId,
    clientAddress,
  }
}
