import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { quotas } from './definitions.ts'
import { limitCollection, limitId, quotaLimitKind, type StoredLimit } from './limits-store.ts'

/** Yields the limits that contradict their definition or their id, and the workspaces that lack some of their limits. */
export async function* inspectLimits(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const { type: resourceType } = quotaLimitKind
  for await (const { id, value } of reader.each(limitCollection)) {
    const message = limitFault(value)
    if (message !== undefined) yield { resourceType, id, message }
  }
  const { length } = quotas.definitions
  for (const [workspace, count] of await reader.tally(limitCollection, 'scope_id')) {
    if (count === length) continue
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
