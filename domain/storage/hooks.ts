import type { Reader } from '../ports/store.ts'
import type { Protection, WorkspaceHooks } from '../ports/taxonomy.ts'
import { nextTurn } from '../resources/next-turn.ts'
import { retainedVersion } from './bucket-calls/bucket-contents.ts'
import { bucketKind } from './buckets/bucket-kind.ts'
import { bucketCollection, type StoredBucket } from './buckets/buckets-store.ts'
import { purgeBatch } from './bucket-calls/purge-content.ts'
import type { StorageEnvironment } from './environment.ts'
import { purgeRemoteBuckets } from './remote-buckets/delete-remote-bucket.ts'
import { takeRun } from './rules/runs-store.ts'
import { purgeStatistics } from './statistics/retain-points.ts'

/** Returns the hooks of the area, in addition to the hooks of its kinds (storage.md 4.13). */
export const storageHooks = (environment: StorageEnvironment): Partial<WorkspaceHooks> => ({
  async holdings(reader, workspace) {
    let count = 0
    for await (const { value } of reader.each(bucketCollection, { workspace_id: workspace }))
      count += value.usage.object_count
    return [{ resourceType: 'storage.objects', count }]
  },
  async protections(reader, workspace) {
    const found: Protection[] = []
    for await (const { value } of reader.each(bucketCollection, { workspace_id: workspace })) {
      const protection = await protectionOf(reader, value, environment.clock.now())
      if (protection) found.push(protection)
    }
    return found
  },
  async purgeWorkspace(workspace) {
    const { store } = environment
    await purgeRemoteBuckets(environment, workspace)
    const ids: string[] = []
    for await (const { id } of store.each(bucketCollection, { workspace_id: workspace })) ids.push(id)
    for (const id of ids) {
      while (!(await store.tx(tx => purgeBatch(environment, tx, id)))) await nextTurn()
      await store.tx(tx => takeRun(tx, id))
    }
    while (!(await store.tx(tx => purgeStatistics(tx, workspace)))) await nextTurn()
  },
})

/** Returns the reason for which a bucket prevents the deletion of its workspace: a locked policy, or a protected version. */
async function protectionOf(reader: Reader, bucket: StoredBucket, now: number): Promise<Protection | undefined> {
  const { id, retention_policy, usage } = bucket
  if (!retention_policy || usage.version_count === 0) return undefined
  if (retention_policy.is_locked) {
    const reason = `has a locked retention policy and ${usage.version_count} versions; delete them as their protection ends`
    return { resourceType: bucketKind.type, id, reason }
  }
  const retained = await retainedVersion(reader, bucket, now)
  if (!retained) return undefined
  const until = new Date(retained.until).toISOString()
  const reason = `is protected until ${until}; remove the retention policy of its bucket, or wait`
  return { resourceType: 'storage.objects', id: `${id}/${retained.version.name}`, reason }
}
