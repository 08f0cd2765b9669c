import type { CallContext } from '../../../runtime/context.ts'
import type { Storage, ObjectPlace } from '../../ports/storage.ts'
import type { Transaction } from '../../ports/store.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { addReference, type Target } from '../../resources/references.ts'
import { bucketKind } from '../buckets/bucket-kind.ts'
import { bucketCollection } from '../buckets/buckets-store.ts'
import type { StorageEnvironment } from '../environment.ts'
import { deleteVersion } from '../objects/delete-object.ts'
import { absentBucket, requireUsable } from '../objects/version-changes.ts'
import { placedBucket, requireCaller, requireNative } from './placed-bucket.ts'
import { joinObjects } from './join-objects.ts'
import { listObjects } from './list-objects.ts'
import { putObject } from './put-object.ts'
import { openObject, readObject, statObject } from './read-object.ts'

/** Returns the functions of storage for other areas. */
export const storageFunctions = (environment: StorageEnvironment): Storage => ({
  statObject: (context, place, reader) => statObject(environment, context, place, reader),
  readObject: (context, place, range) => readObject(environment, context, place, range),
  openObject: (context, place) => openObject(environment, context, place),
  listObjects: (place, prefix) => listObjects(environment.store, place, prefix),
  joinObjects: (context, place, parts) => joinObjects(environment, context, place, parts),
  putObject: (context, place, body, options) => putObject(environment, context, place, body, options),
  deleteObject: (context, place) => deleteObject(environment, context, place),
  useBucket,
})

async function deleteObject(
  environment: StorageEnvironment,
  context: CallContext | undefined,
  place: ObjectPlace,
): Promise<void> {
  const { clock, store, taxonomy } = environment
  await requireCaller(environment, context, 'storage.objects.delete', place)
  const deletion = {
    versionId: place.versionId ?? '',
    markerId: clock.newId(),
    now: clock.now(),
    principalId: context?.principal?.id ?? systemPrincipalId,
  }
  await store.tx(async tx => {
    await taxonomy.share(tx, workspaceScope(place.workspace))
    await placedBucket(tx, place)
    await deleteVersion(taxonomy, tx, place, deletion)
  })
}

/** Records that a row uses a bucket; see `Storage`. */
async function useBucket(
  tx: Transaction,
  { bucket, workspace }: Pick<ObjectPlace, 'bucket' | 'workspace'>,
  holder: Target,
): Promise<void> {
  const value = (await tx.share(bucketCollection, bucket))?.value
  if (value?.workspace_id !== workspace) throw absentBucket(bucket)
  requireNative(value)
  requireUsable(value)
  await addReference(tx, { type: bucketKind.type, id: bucket }, holder)
}
