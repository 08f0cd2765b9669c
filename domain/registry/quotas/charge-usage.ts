import type { Stored, Transaction } from '../../ports/store.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { quotas, quotaScope } from './quotas.ts'
import { settleReadOnly } from './read-only.ts'

/** The change of the content of a repository; a number below 0 is a decrease, and an absent number is 0. */
export interface UsageChange {
  readonly artifacts?: number
  readonly tags?: number
  /** The bytes of manifests and of blobs whose link is new or gone. */
  readonly bytes?: number
  /** The time of a push of a manifest. */
  readonly pushTime?: string
}

/**
 * Updates the counts in the locked row of a repository, and returns the row. Throws QUOTA_EXCEEDED of
 * `registry.artifacts` and `registry.storageBytes` for growth without room. Ends READ_ONLY of all repositories of the
 * workspace if a decrease reaches the limit; `time` is the time of the change. A transaction calls the function after
 * its other locks, because the buckets of quotas are locked last.
 */
export async function chargeUsage(
  tx: Transaction,
  { id, value, version }: Stored<StoredRepository>,
  { artifacts = 0, bytes = 0, pushTime, tags = 0 }: UsageChange,
  time: string,
): Promise<Stored<StoredRepository>> {
  const next: StoredRepository = {
    ...value,
    artifact_count: value.artifact_count + artifacts,
    tag_count: value.tag_count + tags,
    size_bytes: value.size_bytes + bytes,
    ...(pushTime !== undefined && { last_push_time: pushTime }),
  }
  const updated = await tx.update(repositoryCollection, id, next, version)
  const scope = quotaScope(value.workspace_id)
  if (artifacts > 0) await quotas.consumeLimit(tx, 'registry.artifacts', scope, { repository_id: id }, artifacts)
  if (bytes > 0) await quotas.consumeLimit(tx, 'registry.storageBytes', scope, {}, bytes)
  if (bytes >= 0 || value.state !== 'REGISTRY_REPOSITORY_STATE_READ_ONLY') return updated
  await settleReadOnly(tx, value.workspace_id, time)
  return (await tx.get(repositoryCollection, id)) ?? updated
}
