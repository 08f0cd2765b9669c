import type { Transaction } from '../../ports/store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { writeVersion, type NewVersion } from './new-version.ts'
import { VersionChanges } from './version-changes.ts'

/**
 * Commits a version with the usage of its bucket and the quotas in one transaction, which `record` extends. Throws the
 * errors of `writeVersion`, and WORKSPACE_NOT_ACTIVE, BUCKET_NOT_FOUND, BUCKET_DELETING and QUOTA_EXCEEDED.
 */
export const commitVersion = (
  { store, taxonomy }: Pick<StorageEnvironment, 'store' | 'taxonomy'>,
  bucket: StoredBucket,
  version: NewVersion,
  record: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> =>
  store.tx(async tx => {
    await taxonomy.requireActive(tx, bucket.workspace_id)
    const changes = await VersionChanges.begin(tx, bucket.id, version.now)
    await writeVersion(tx, changes, version)
    await changes.end(taxonomy)
    await record(tx)
  })
