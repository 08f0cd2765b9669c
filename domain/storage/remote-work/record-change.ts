import { ApiError } from '../../../runtime/errors.ts'
import type { Turn } from '../../ports/workers.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import { storeOf } from '../remote-buckets/bucket-store.ts'
import { endChange, type RemoteChange } from '../remote-objects/changes-store.ts'
import { findRemoteVersion } from '../remote-objects/find-remote-version.ts'
import { isSince } from '../remote-store/clock-difference.ts'
import type { Converging } from './converging.ts'
import type { LeftCalls } from './left-calls.ts'

/**
 * Records the operation of a change of an object that the store has made, and whose call has died before its record. A
 * change that the store does not show is kept for the next run, because a request of the dead call may still run in the
 * store; it is forgotten once that is over.
 */
export async function recordChange(
  environment: Converging,
  turn: Turn,
  change: RemoteChange,
  { isOver }: Pick<LeftCalls, 'isOver'>,
): Promise<void> {
  const { operations } = environment
  const { bucket_id, create_time, id, object, type, workspace_id } = change
  const state = await stateOf(environment, change)
  if (state === 'open' && !isOver(create_time)) return
  await turn.tx(async tx => {
    if (!(await endChange(tx, id)) || state !== 'made') return
    const scope = workspaceScope(workspace_id)
    await operations.begin(tx, { type, resourceType: 'storage.objects', resourceId: `${bucket_id}/${object}`, scope })
  })
}

/** Returns whether the store shows a change, shows it not yet, or has no longer the bucket. */
async function stateOf(environment: Converging, change: RemoteChange): Promise<'made' | 'open' | 'gone'> {
  const { bucket_id, create_time, object, type, version_id: versionId } = change
  const bucket = (await environment.store.get(bucketCollection, bucket_id))?.value
  if (!bucket) return 'gone'
  try {
    const found = await findRemoteVersion(await storeOf(environment, bucket), bucket, { object, versionId })
    if (type === 'DELETE') return 'open'
    return found.kind === 'object' && isSince(found.object, create_time) ? 'made' : 'open'
  } catch (error) {
    if (error instanceof ApiError && error.rpc === 'NOT_FOUND') return type === 'DELETE' ? 'made' : 'open'
    throw error
  }
}
