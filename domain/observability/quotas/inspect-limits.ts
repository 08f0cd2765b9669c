import type { Finding, Inspection } from '../../ports/inspection.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { retentionPolicyCollection } from '../retention/retention-store.ts'
import { quotas } from './definitions.ts'
import { limitCollection, limitId, quotaLimitKind, type StoredLimit } from './limits-store.ts'

/**
 * Yields the limits that contradict their definition or their id, and the workspaces that lack some of their limits. A
 * workspace that is being purged has none, and still has its retention policies for a while.
 */
export async function* inspectLimits({
  reader,
  workAt,
}: Pick<Inspection, 'reader' | 'workAt'>): AsyncGenerator<Finding, void, undefined> {
  const { type: resourceType } = quotaLimitKind
  for await (const { id, value } of reader.each(limitCollection)) {
    const message = limitFault(value)
    if (message !== undefined) yield { resourceType, id, message }
  }
  const { length } = quotas.definitions
  const counts = await reader.tally(limitCollection, 'scope_id')
  const known = new Set([...counts.keys(), ...(await reader.tally(retentionPolicyCollection, 'workspace_id')).keys()])
  for (const workspace of known) {
    const count = counts.get(workspace) ?? 0
    if (count === length || (count === 0 && (await workAt(workspaceScope(workspace))).length > 0)) continue
    yield { resourceType, id: workspace, message: `workspace ${workspace} has ${count} limits instead of ${length}` }
  }
}

function limitFault({ id, limit, quota_definition_id, scope_id, source }: StoredLimit): string | undefined {
  const definition = quotas.find(quota_definition_id)
  if (!definition) return `is a limit of ${quota_definition_id}, which is no quota definition`
  if (limitId(quota_definition_id, scope_id) !== id)
    return `has the definition ${quota_definition_id} and the scope ${scope_id}, which contradict its id`
  const { default_limit } = definition
  if (source !== 'DEFAULT' || limit === default_limit) return undefined
  return `is ${limit}, but the default limit of ${quota_definition_id} is ${default_limit}`
}
