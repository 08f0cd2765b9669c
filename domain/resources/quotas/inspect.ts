import type { Finding } from '../../ports/inspection.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { Kind } from '../kind.ts'
import { bucketKey, type Bucket } from './buckets.ts'
import type { StoredLimit } from './limit-kind.ts'
import type { Quotas } from './quotas.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/**
 * Yields the contradictions between the buckets of an area and its limits (conventions §10): the bucket of each limit
 * must name the limit, and each bucket must repeat the limit that it names. Usage needs no check, because it is counted
 * from the rows themselves.
 */
export async function* inspectQuotas<Limit extends StoredLimit<string>>(
  reader: Reader,
  quotas: Quotas,
  limits: Kind<Limit>,
): Findings {
  for await (const { value } of reader.each(limits.collection)) yield* inspectLimit(reader, quotas, limits.type, value)
  const resourceType = limits.type.replace('quotaLimits', 'quotaBuckets')
  for await (const { id, value } of reader.each(quotas.buckets)) {
    const limit = value.limit_id === '' ? undefined : await reader.get(limits.collection, value.limit_id)
    const message = bucketFault(quotas, value, limit)
    if (message !== undefined) yield { resourceType, id, message }
  }
}

async function* inspectLimit(
  reader: Reader,
  quotas: Quotas,
  resourceType: string,
  { dimensions, id, quota_definition_id, scope_id }: StoredLimit<string>,
): Findings {
  const key = bucketKey(quota_definition_id, scope_id, dimensions)
  const bucket = await reader.get(quotas.buckets, key)
  if (bucket?.value.limit_id === id) return
  const found = bucket === undefined ? 'does not exist' : `names ${bucket.value.limit_id || 'no limit'}`
  yield { resourceType, id, message: `has no effect, because its bucket ${key} ${found}` }
}

function bucketFault(
  quotas: Quotas,
  { definition_id, id, limit, limit_id, scope_id }: Bucket,
  named: Stored<StoredLimit<string>> | undefined,
): string | undefined {
  if (!quotas.find(definition_id)) return `counts for ${definition_id}, which is no quota definition`
  if (!id.startsWith(bucketKey(definition_id, scope_id)))
    return `has the definition ${definition_id} and the scope ${scope_id}, which contradict its id`
  if (limit_id === '') return undefined
  if (named === undefined) return `names the limit ${limit_id}, which does not exist`
  const { value } = named
  if (bucketKey(value.quota_definition_id, value.scope_id, value.dimensions) !== id) {
    return `names the limit ${limit_id}, which belongs to another bucket`
  }
  return value.limit === limit ? undefined : `holds the limit ${limit}; quota limit ${limit_id} is ${value.limit}`
}
