import type { ObjectSchema } from '../../../output/storage/types.ts'
import type { JsonText } from '../../../runtime/json.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored } from '../../ports/store.ts'
import { withMembers } from '../../resources/json-text.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import { retainedUntil } from './retention.ts'
import type { StoredVersion } from './versions-store.ts'

/** Returns the answer of a version: its text, and until when the policy of its bucket protects the version. */
export function objectAnswer(bucket: StoredBucket, stored: Stored<StoredVersion>): JsonText<ObjectSchema> {
  if (bucket.retention_policy === undefined) return stored.text
  const until = retainedUntil(bucket, stored.value)
  return until === undefined ? stored.text : withMembers(stored.text, { retain_until_time: formatMillis(until) })
}
