import { formatMillis } from '../../../runtime/timestamps.ts'
import type { BucketStore } from '../remote-buckets/bucket-store.ts'
import { unless } from '../remote-store/remote-fault.ts'
import type { RemoteVersion } from '../remote-store/remote-store.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { isDue, type Rule } from '../rules/due.ts'

/** The number of versions that one list reads. */
const pageSize = 1000

/** The newer versions of the name that a search has reached. */
interface Newer {
  readonly name: string
  /** The number of versions that are no delete markers. */
  readonly count: number
  readonly modifiedMs: number
}

/**
 * Iterates over the versions of a bucket in an S3 store that a rule removes, in the order of their names. A latest delete
 * marker is removed if it hides nothing. Throws `RemoteFault`.
 */
export async function* dueVersions(
  place: BucketStore,
  bucket: StoredBucket,
  rule: Rule,
  nowMs: number,
): AsyncGenerator<RemoteVersion, void, undefined> {
  let newer: Newer | undefined
  // A marker waits for the next version, which may lie on the next page.
  let marker: RemoteVersion | undefined
  for await (const version of versionsOf(place, bucket, rule)) {
    const { isDeleteMarker, isLatest, modifiedMs, name } = version
    if (newer?.name !== name) {
      if (marker) yield marker
      newer = undefined
    }
    marker = undefined
    const times = { create_time: formatMillis(modifiedMs), update_time: formatMillis(newer?.modifiedMs ?? modifiedMs) }
    if (isDue(rule, { name, is_latest: isLatest, ...times }, nowMs)) {
      if (isLatest && isDeleteMarker) marker = version
      else if ((newer?.count ?? 0) >= (rule.condition.num_newer_versions ?? 0)) yield version
    }
    newer = { name, modifiedMs, count: (newer?.count ?? 0) + (isDeleteMarker ? 0 : 1) }
  }
  if (marker) yield marker
}

async function* versionsOf(
  { name, store }: BucketStore,
  { versioning }: StoredBucket,
  { condition: { prefix } }: Rule,
): AsyncGenerator<RemoteVersion, void, undefined> {
  let after: readonly string[] | undefined
  do {
    const list = { prefix, delimiter: '', size: pageSize, ...(after && { after }) }
    const isPlain = versioning === 'STORAGE_VERSIONING_DISABLED'
    const page = await (isPlain ? store.objects(name, list) : store.versions(name, list))
    yield* page.versions
    after = page.next
  } while (after)
}

/**
 * Whether a listed version still has its place: the latest version is the same, and a version that was not the latest is
 * not the latest now. S3 has no condition for deletions that all stores know.
 */
export async function isUnchanged({ name, store }: BucketStore, version: RemoteVersion): Promise<boolean> {
  const latest = await unless(store.read({ bucket: name, object: version.name }), 'object', 'unsupported')
  if (version.isDeleteMarker && version.isLatest) return latest === undefined
  if (!version.isLatest) return latest?.versionId !== version.versionId
  // An answer to HEAD has whole seconds.
  const seconds = (ms: number): number => Math.floor(ms / 1000)
  return latest?.etag === version.etag && seconds(latest.modifiedMs) === seconds(version.modifiedMs)
}
