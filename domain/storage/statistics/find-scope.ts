import { bucketNotFound } from '../../../output/storage/errors.ts'
import { atField } from '../../../runtime/errors.ts'
import type { Reader } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { isAt, requireWorkspace } from '../../resources/find-rows.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'

/** The buckets of a query for statistics: one bucket, or all buckets of a workspace and engine. */
export interface StatScope {
  readonly workspace: string
  readonly engine: string
  readonly bucket_id?: string
}

/** Throws WORKSPACE_NOT_FOUND, and BUCKET_NOT_FOUND at the parameter `bucket_id`. */
export async function requireScope(
  reader: Reader,
  tree: Pick<Taxonomy, 'chain'>,
  { bucket_id, engine, workspace }: StatScope,
): Promise<void> {
  await requireWorkspace(reader, tree, workspace)
  if (bucket_id === undefined) return
  const bucket = await reader.get(bucketCollection, bucket_id)
  if (bucket && isAt(bucket.value, { workspace, engine })) return
  const resource = { type: 'storage.buckets', name: bucket_id }
  throw atField(
    bucketNotFound(`engine ${engine} of the workspace has no bucket ${bucket_id}`, { resource }),
    'bucket_id',
  )
}
