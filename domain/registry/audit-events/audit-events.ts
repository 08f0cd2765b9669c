import type { AuditEventHandlers } from '../../../output/registry/handlers.ts'
import { requireWorkspace } from '../../resources/find-rows.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { eventCollection } from './events-store.ts'

/** Returns the handler of audit events. */
export const auditEvents = ({ store, taxonomy }: RegistryEnvironment): AuditEventHandlers => ({
  async listAuditEvents({ workspace }, { query }) {
    const page = await store.list(eventCollection, query, { workspace_id: workspace })
    if (page.items.length === 0) await requireWorkspace(store, taxonomy, workspace)
    return page
  },
})
