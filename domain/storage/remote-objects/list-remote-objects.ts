import { fieldInvalid, filterUnsupported } from '../../../output/shared/errors.ts'
import type { ListObjectsResponse, ObjectSchema, ParsedListObjectsRequest } from '../../../output/storage/types.ts'
import type { ListContext } from '../../../runtime/context.ts'
import type { ListQuery, PageWith } from '../../../runtime/pagination.ts'
import { jsonText } from '../../resources/json-text.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import type { StorageEnvironment } from '../environment.ts'
import { hasCapability } from '../remote-buckets/capabilities.ts'
import { contentStoreOf } from '../remote-buckets/bucket-store.ts'
import { answered } from '../remote-store/answered-faults.ts'
import { listedObject } from './object-answers.ts'

type ObjectPage = PageWith<ObjectSchema, Pick<ListObjectsResponse, 'common_prefixes'>>

/**
 * Lists the objects of a bucket on an S3 store in the order of their names; the page token has the continuation of the
 * store. Throws FILTER_UNSUPPORTED for a filter and for another order.
 */
export async function listRemoteObjects(
  environment: StorageEnvironment,
  request: ParsedListObjectsRequest,
  { query }: ListContext,
): Promise<ObjectPage> {
  requireForm(request, query)
  const { value: bucket } = await findBucket(environment.store, environment.taxonomy, request)
  const { name, of, store } = await contentStoreOf(environment, bucket)
  const after = query.after?.map(String)
  const list = { prefix: request.prefix, delimiter: request.delimiter, size: query.size, ...(after && { after }) }
  const isOfVersions = request.versions && hasCapability(of, 'VERSIONING')
  const page = await answered(isOfVersions ? store.versions(name, list) : store.objects(name, list))
  const { next, prefixes, versions } = page
  const items = versions.map((version, i) => {
    const newer = versions[i - 1]
    return jsonText(listedObject(bucket, version, newer?.name === version.name ? newer : undefined))
  })
  return { items, ...(next && { next }), others: { common_prefixes: [...prefixes] } }
}

function requireForm({ delimiter, versions }: ParsedListObjectsRequest, { filter, order }: ListQuery): void {
  const description = 'is not served by S3 stores, which list objects by prefix in the order of their names'
  if (filter !== undefined)
    throw filterUnsupported(`filter ${description}`, { badRequest: [{ field: 'filter', description }] })
  const [first] = order
  if (order.length !== 1 || first?.field.name !== 'name' || first.descending)
    throw filterUnsupported(`order_by ${description}`, { badRequest: [{ field: 'order_by', description }] })
  if (delimiter === '' || !versions) return
  const fault = 'cannot be given together with a delimiter'
  throw fieldInvalid(`versions ${fault}`, { badRequest: [{ field: 'versions', description: fault }] })
}
