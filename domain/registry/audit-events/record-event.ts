import type { AuditEvent } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Clock } from '../../ports/clock.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Transaction } from '../../ports/store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { eventCollection, type StoredEvent } from './events-store.ts'

type Short<Enum, Prefix extends string> = Enum extends `${Prefix}${infer Name}` ? Name : never

/** The subject and the result of an audit event; absent texts are empty, and `bytes` is 0. */
export interface EventFacts {
  /** The action without the prefix of its enum. */
  readonly action: Short<AuditEvent['action'], 'REGISTRY_AUDIT_ACTION_'>
  /** The outcome without the prefix of its enum, by default SUCCEEDED. */
  readonly outcome?: Short<AuditEvent['outcome'], 'REGISTRY_AUDIT_OUTCOME_'>
  /** The reason of a refusal. */
  readonly reason?: string
  readonly workspace: string
  readonly repository?: Pick<StoredRepository, 'id' | 'name'> | undefined
  readonly digest?: string
  readonly tag?: string
  readonly bytes?: number
}

/** The longest `User-Agent` that an event keeps, in characters. */
const maxAgent = 256

/**
 * Records an audit event in the transaction of its change. `context` is that of the call; undefined for work of the
 * platform itself at the time of `clock`.
 */
export async function recordAuditEvent(
  tx: Transaction,
  clock: Clock,
  context: CallContext | undefined,
  facts: EventFacts,
): Promise<void> {
  await tx.insert(eventCollection, eventOf(clock, context, facts))
}

function eventOf(clock: Clock, context: CallContext | undefined, facts: EventFacts): StoredEvent {
  const { action, bytes = 0, digest = '', outcome = 'SUCCEEDED', reason = '', repository, tag = '', workspace } = facts
  return {
    id: clock.newId(),
    workspace_id: workspace,
    time: formatMillis(context?.now ?? clock.now()),
    action: `REGISTRY_AUDIT_ACTION_${action}`,
    outcome: `REGISTRY_AUDIT_OUTCOME_${outcome}`,
    reason,
    principal_id: context ? (context.principal?.id ?? '') : systemPrincipalId,
    repository_id: repository?.id ?? '',
    repository_name: repository?.name ?? '',
    digest,
    tag,
    client_ip: context?.clientAddress ?? '',
    user_agent: (context?.userAgent ?? '').slice(0, maxAgent),
    bytes,
    trace_id: context?.traceId ?? '',
  }
}
