import { ApiError } from '../../../runtime/errors.ts'
import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { storeOf } from '../remote-buckets/bucket-store.ts'
import { endChange, type RemoteChange } from '../remote-objects/changes-store.ts'
import { findRemoteVersion } from '../remote-objects/find-remote-version.ts'
import type { Converging } from './converging.ts'

/** The largest difference between the clocks of the platform and of a store, in milliseconds. */
const clockMs = 60_000

/** Records the operation of a change of an object that the store has made, and whose call has died before its record. */
export async function recordChange(environment: Converging, turn: Turn, change: RemoteChange): Promise<void> {
  const { operations } = environment
  const { bucket_id, id, object, type, workspace_id } = change
  const isMade = await hasHappened(environment, change)
  await turn.tx(async tx => {
    if (!(await endChange(tx, id)) || !isMade) return
    const scope = workspaceScope(workspace_id)
    await operations.begin(tx, { type, resourceType: 'storage.objects', resourceId: `${bucket_id}/${object}`, scope })
  })
}

/** Whether the store shows a change; false for a bucket that was deleted since. */
async function hasHappened(environment: Converging, change: RemoteChange): Promise<boolean> {
  const { bucket_id, create_time, object, type, version_id: versionId } = change
  const bucket = (await environment.store.get(bucketCollection, bucket_id))?.value
  if (!bucket) return false
  try {
    const found = await findRemoteVersion(await storeOf(environment, bucket), bucket, { object, versionId })
    if (type === 'DELETE') return false
    return found.kind === 'object' && found.object.modifiedMs + clockMs >= Date.parse(create_time)
  } catch (error) {
    if (error instanceof ApiError && error.rpc === 'NOT_FOUND') return type === 'DELETE'
    throw error
  }
}
