import { auditEventsList } from '../../../output/registry/filters.ts'
import type { AuditEvent } from '../../../output/registry/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The row of an audit event; rows are never changed, and deleted after 90 days. */
export interface StoredEvent extends AuditEvent {
  readonly workspace_id: string
}

/** The audit events of all workspaces. */
export const eventCollection: Collection<StoredEvent> = {
  name: 'registry_audit_events',
  id: 'id',
  list: auditEventsList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING' },
  hidden: ['workspace_id'],
  indexes: [['time'], ['workspace_id', 'repository_id', 'time'], ['workspace_id', 'action', 'time']],
}
