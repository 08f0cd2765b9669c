import type { CallContext } from '../../../runtime/context.ts'
import { calledBy, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'

/** Returns the activity of a content that was uploaded for an object. */
export const uploadActivity = (bucket: StoredBucket, object: string, context: CallContext): Activity => ({
  ...calledBy(context),
  category: 'DATA_WRITE',
  permission: 'storage.objects.create',
  resourceType: 'storage.objects',
  resourceId: `${bucket.id}/${object}`,
  scope: workspaceScope(bucket.workspace_id),
  outcome: 'SUCCEEDED',
  reason: '',
  changedFields: [],
  operationId: '',
})
