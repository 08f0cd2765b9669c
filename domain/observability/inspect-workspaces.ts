import type { Finding, Inspection } from '../ports/inspection.ts'
import { workspaceScope } from '../resources/kind.ts'
import { limitCollection, quotaLimitKind } from './quotas/limits-store.ts'
import { droppedCollection } from './retention/dropped-telemetry.ts'
import { retentionPolicyCollection, retentionPolicyKind } from './retention/retention-store.ts'

/**
 * Yields the workspaces that have lost all of their limits or all of their retention policies, and live workspaces whose
 * telemetry is recorded to be deleted. A purge of a workspace deletes its limits in the transaction that records the
 * deletion of its telemetry, and its policies later.
 */
export async function* inspectWorkspaces({
  reader,
  workAt,
}: Pick<Inspection, 'reader' | 'workAt'>): AsyncGenerator<Finding, void, undefined> {
  const limits = await reader.tally(limitCollection, 'scope_id')
  const policies = await reader.tally(retentionPolicyCollection, 'workspace_id')
  for (const id of policies.keys()) {
    if (limits.has(id) || (await workAt(workspaceScope(id))).length > 0) continue
    yield { resourceType: quotaLimitKind.type, id, message: `workspace ${id} has no limits` }
  }
  for (const id of limits.keys()) {
    if (policies.has(id)) continue
    yield { resourceType: retentionPolicyKind.type, id, message: `workspace ${id} has no retention policies` }
  }
  for await (const { id } of reader.each(droppedCollection)) {
    if (!limits.has(id)) continue
    const message = `the telemetry of workspace ${id} is to be deleted, but the workspace still has its limits`
    yield { resourceType: retentionPolicyKind.type, id, message }
  }
}
