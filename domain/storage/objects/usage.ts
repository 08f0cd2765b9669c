import type { BucketUsage } from '../../../output/storage/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { StoredVersion } from './versions-store.ts'

/** A version before and after a commit; `before` is absent for a new version, `after` for a deleted version. */
export interface VersionChange {
  readonly before?: StoredVersion
  readonly after?: StoredVersion
}

type Counts = Pick<BucketUsage, 'object_count' | 'version_count' | 'bytes' | 'noncurrent_bytes'>

const nothing: Counts = { object_count: 0, version_count: 0, bytes: 0, noncurrent_bytes: 0 }

/** Returns the part of a bucket's usage that a version makes. A delete marker makes none. */
export function countsOf(version: StoredVersion | undefined): Counts {
  if (version === undefined || version.is_delete_marker) return nothing
  const { is_latest, size } = version
  return {
    object_count: is_latest ? 1 : 0,
    version_count: 1,
    bytes: size,
    noncurrent_bytes: is_latest ? 0 : size,
  }
}

/** Returns the usage of a bucket after changes of its versions. */
export function usageAfter(usage: BucketUsage, changes: readonly VersionChange[], nowMs: number): BucketUsage {
  const next = { ...usage, as_of_time: formatMillis(nowMs) }
  for (const { after, before } of changes) {
    const [more, less] = [countsOf(after), countsOf(before)]
    next.object_count += more.object_count - less.object_count
    next.version_count += more.version_count - less.version_count
    next.bytes += more.bytes - less.bytes
    next.noncurrent_bytes += more.noncurrent_bytes - less.noncurrent_bytes
  }
  return next
}
