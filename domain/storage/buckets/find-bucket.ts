import { bucketNotFound } from '../../../output/storage/errors.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { isAt, requireWorkspace } from '../../resources/find-rows.ts'
import { bucketCollection, type StoredBucket } from './buckets-store.ts'

/** A bucket that the path of a call names. */
export interface BucketPath {
  readonly workspace: string
  readonly engine: string
  readonly bucket: string
}

/** Returns the bucket of a path. Throws WORKSPACE_NOT_FOUND and BUCKET_NOT_FOUND. */
export async function findBucket(
  reader: Reader,
  tree: Pick<Taxonomy, 'chain'>,
  { bucket, engine, workspace }: BucketPath,
): Promise<Stored<StoredBucket>> {
  const stored = await reader.get(bucketCollection, bucket)
  if (stored && isAt(stored.value, { workspace, engine })) return stored
  await requireWorkspace(reader, tree, workspace)
  throw bucketNotFound(`engine ${engine} of workspace ${workspace} has no bucket ${bucket.slice(0, 80)}`, {
    resource: { type: 'storage.buckets', name: bucket },
  })
}
