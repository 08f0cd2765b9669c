import { platformWorkspaceId } from '../../domain/ports/reserved.ts'
import type { Storage } from '../../domain/ports/storage.ts'
import type { Store } from '../../domain/ports/store.ts'
import { dropReferencesOf } from '../../domain/resources/references.ts'
import { refusalOf } from '../../domain/resources/refusal.ts'
import { bucketFaults } from './bucket-checks.ts'

/** The holder of the reference to the bucket of blobs. */
const holder = { type: 'registry.blobStores', id: 'native' }

/**
 * Records which bucket has the blobs, so that it is not deleted. Returns what makes the bucket unfit, as lines for the
 * person who starts the server. The server starts nevertheless: the API of storage is the place to change a bucket.
 */
export async function openBlobStore(
  { functions, store }: { readonly functions: { readonly storage: Storage | undefined }; readonly store: Store },
  bucket: string | undefined,
): Promise<readonly string[]> {
  const use = store.tx(async tx => {
    await dropReferencesOf(tx, holder)
    if (bucket !== undefined) await functions.storage?.useBucket(tx, { workspace: platformWorkspaceId, bucket }, holder)
  })
  // The faults of the bucket say why it is refused.
  await refusalOf(use)
  const faults = bucket === undefined ? [] : await bucketFaults(store, bucket)
  return faults.map(fault => `the bucket ${bucket} of registry.blob_store ${fault}`)
}
