import type { CallContext } from '../../../runtime/context.ts'
import { calledBy } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StoredBucket } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'

/** A signature, with the names of its conditions, and without the signature itself. */
export interface Signature {
  readonly bucket: StoredBucket
  readonly object: string
  readonly method: 'GET' | 'PUT'
  readonly conditions: readonly string[]
}

/** Records a signature, before its URL is answered. Concurrent calls share a transaction. */
export const recordSignature = (
  { audit, signatures }: Pick<StorageEnvironment, 'audit' | 'signatures'>,
  { bucket, conditions, method, object }: Signature,
  context: CallContext,
): Promise<void> =>
  signatures.commit(tx =>
    audit.recordActivity(tx, {
      ...calledBy(context),
      category: method === 'GET' ? 'DATA_READ' : 'DATA_WRITE',
      resourceType: 'storage.objects',
      resourceId: `${bucket.id}/${object}`,
      scope: workspaceScope(bucket.workspace_id),
      outcome: 'SUCCEEDED',
      reason: '',
      changedFields: conditions,
      operationId: '',
    }),
  )
