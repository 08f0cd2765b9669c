import type { Reader } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

/** Whether rules may act on a bucket: the bucket is not being deleted, and its workspace is ACTIVE (storage.md 4.13). */
export async function isActive(
  taxonomy: Pick<Taxonomy, 'effectiveState'>,
  reader: Reader,
  { state, workspace_id }: Pick<StoredBucket, 'state' | 'workspace_id'>,
): Promise<boolean> {
  if (state !== 'STORAGE_BUCKET_STATE_ACTIVE') return false
  return (await taxonomy.effectiveState(reader, workspaceScope(workspace_id)))?.state === 'ACTIVE'
}
