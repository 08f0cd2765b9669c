import type { CallContext } from '../../runtime/context.ts'
import type { RpcCode } from '../../runtime/errors.ts'
import { systemPrincipalId } from './reserved.ts'
import type { Store, Transaction } from './store.ts'
import type { Scope } from './scope.ts'

/**
 * An action that a principal performed or was refused (conventions §13). An activity contains names of fields, never
 * their values.
 */
export interface Activity {
  readonly category: 'ADMIN_WRITE' | 'DATA_WRITE' | 'DATA_READ' | 'ACCESS_DENIED' | 'AUTHENTICATION' | 'SYSTEM'
  readonly area: string
  /** The operationId of the call; for work of the platform itself, the name of the action. */
  readonly action: string
  /** The required permission; empty if the call requires none. */
  readonly permission: string
  readonly resourceType: string
  readonly resourceId: string
  readonly scope: Scope
  /**
   * The scopes from the organisation to `scope`. May be absent while the scope exists, because the chain can then be
   * read later.
   */
  readonly chain?: readonly Scope[] | undefined
  readonly principalId: string
  readonly principalKind: 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM' | 'ANONYMOUS'
  readonly outcome: 'SUCCEEDED' | 'DENIED' | 'FAILED'
  /** The code of the error; absent for a success. */
  readonly rpc?: RpcCode
  /** The reason of the error; empty for a success. */
  readonly reason: string
  /** The paths of the changed fields, in the form of an update mask. */
  readonly changedFields: readonly string[]
  /** The id of the operation record; empty if the call has no operation. */
  readonly operationId: string
  readonly traceId: string
  readonly requestId: string
  /** The address of the caller; empty for work of the platform itself. */
  readonly clientAddress: string
  /** The name of the caller's program, of at most 256 characters; absent: unknown. */
  readonly userAgent?: string
  /** The number of refusals for which the activity stands, or of things that a run of a worker removed; absent: 1. */
  readonly count?: number
}

/** Records activities. */
export interface Audit {
  /** Records an activity in the transaction of its change, so that both are committed or both are rolled back. */
  recordActivity(tx: Transaction, activity: Activity): Promise<void>
  /**
   * Records the refusal of a call in a transaction of its own, because the transaction of the call is rolled back. Of
   * one caller, 60 refusals a minute are recorded one by one; further refusals are counted, and one activity a minute
   * has their number (conventions §13).
   */
  recordRefusal(store: Pick<Store, 'tx'>, activity: Activity): Promise<void>
}

type Caller = Pick<
  Activity,
  | 'area'
  | 'action'
  | 'permission'
  | 'principalId'
  | 'principalKind'
  | 'traceId'
  | 'requestId'
  | 'clientAddress'
  | 'userAgent'
>

/** The longest \`User-Agent\` that an activity keeps, in characters. */
const maxAgent = 256

const principalKinds = { user: 'USER', service_account: 'SERVICE_ACCOUNT', system: 'SYSTEM' } as const

/** Returns the members of an activity that are copied from the context of the call. */
export function calledBy(context: CallContext): Caller {
  const { clientAddress, operation, principal, requestId, traceId, userAgent = '' } = context
  return {
    area: operation?.area ?? '',
    action: operation?.operationId ?? '',
    permission: operation?.permission ?? '',
    principalId: principal?.id ?? '',
    principalKind: principal === undefined ? 'ANONYMOUS' : principalKinds[principal.kind],
    traceId,
    requestId,
    clientAddress,
    userAgent: userAgent.slice(0, maxAgent),
  }
}

/** Returns the members of an activity that describe the caller of work that no call has requested. */
export const calledBySystem = (area: string, action: string) =>
  ({
    area,
    action,
    permission: '',
    principalId: systemPrincipalId,
    principalKind: 'SYSTEM',
    traceId: '',
    requestId: '',
    clientAddress: '',
  }) as const

/** Work that the platform has done without a call. */
export type SystemWork = Pick<Activity, 'area' | 'action' | 'resourceType' | 'resourceId' | 'scope'>

/** Returns the activity of work that the platform has done without a call; the work has succeeded. */
export const systemActivity = ({ action, area, ...subject }: SystemWork): Activity => ({
  ...calledBySystem(area, action),
  ...subject,
  category: 'SYSTEM',
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
