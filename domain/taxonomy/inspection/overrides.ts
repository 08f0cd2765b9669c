import type { Finding } from '../../ports/inspection.ts'
import type { Reader } from '../../ports/store.ts'
import { locate } from '../tree/locate.ts'
import { overrideAt, quotaOverrides, type StoredOverride } from '../quotas/quota-overrides-store.ts'
import { isBuiltIn } from '../quotas/quotas-built-in.ts'
import { fromWireScope } from '../tree/scopes.ts'
import { countsNodes } from '../quotas/usage.ts'
import { finding } from './finding.ts'

/**
 * Checks that each override has a valid limit and a built-in quota, and is at an existing node that the quota can
 * limit, with at most one override of a quota at each node.
 */
export async function* inspectOverrides(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  for await (const { value } of reader.each(quotaOverrides)) {
    for await (const message of faultsOf(reader, value)) yield finding('taxonomy.quotaOverrides', value.id, message)
  }
}

async function* faultsOf(reader: Reader, override: StoredOverride): AsyncGenerator<string, void, undefined> {
  const { id, limit, quota_id: quota } = override
  const scope = fromWireScope(override)
  const node = `${scope.type} ${scope.id}`
  if (!isBuiltIn(quota)) yield `is of quota "${quota}", which does not exist`
  if (scope.type === 'PLATFORM' || (await locate(reader, scope)) === undefined) {
    yield `limits ${node}, which does not exist; the override must be deleted too`
  }
  if (countsNodes(quota) && scope.type === 'WORKSPACE') {
    yield `limits ${quota} at ${node}; a workspace has no nodes to count`
  }
  const first = await overrideAt(reader, quota, scope)
  if (first !== undefined && first.id !== id)
    yield `has the same quota and node as override ${first.id}: ${quota} at ${node}`
  if (!Number.isSafeInteger(limit) || limit < -1) yield `has the limit ${limit}; it must be a whole number from -1`
}
