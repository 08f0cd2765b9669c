import { formatMillis } from '../../../runtime/timestamps.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { dropUpload } from './finish-upload.ts'
import { uploadCollection } from './uploads-store.ts'

type Parts = Pick<RegistryEnvironment, 'blobs' | 'clock' | 'store'>

/** Notes the number of received bytes in the row of an upload. Returns false if another call has ended the upload. */
export function noteProgress(
  { clock, store }: Pick<Parts, 'clock' | 'store'>,
  id: string,
  offset: number,
): Promise<boolean> {
  return store.tx(async tx => {
    const stored = await tx.lock(uploadCollection, id)
    if (!stored) return false
    const update_time = formatMillis(clock.now())
    await tx.update(uploadCollection, id, { ...stored.value, offset, update_time }, stored.version)
    return true
  })
}

/**
 * Notes what a failed call has left of an upload, whose row had `offset`, because these bytes take room too. Deletes them
 * if another call has ended the upload.
 */
export async function noteFailure(parts: Parts, id: string, offset: number): Promise<void> {
  const size = await parts.blobs.sizeOf(id)
  if (size > offset && !(await noteProgress(parts, id, size))) await parts.blobs.discard(id)
}

/** Ends an upload without a blob: deletes its row, if there is one, and its bytes. */
export async function abandonUpload({ blobs, store }: Pick<Parts, 'blobs' | 'store'>, id: string): Promise<void> {
  await store.tx(tx => dropUpload(tx, id))
  await blobs.discard(id)
}
