import type { RemotePart } from '../remote-store/remote-store.ts'
import type { StoredUpload } from '../uploads/uploads-store.ts'
import type { BucketStore } from './bucket-store.ts'
import type { RemoteUploadRow } from './remote-upload-rows.ts'

/** Returns the parts of an upload, keyed by number in ascending order. Throws `RemoteFault`. */
export async function remoteParts(
  { name, store }: Pick<BucketStore, 'name' | 'store'>,
  { object }: Pick<StoredUpload, 'object'>,
  { remote_id }: Pick<RemoteUploadRow, 'remote_id'>,
): Promise<ReadonlyMap<number, RemotePart>> {
  const parts = new Map<number, RemotePart>()
  for await (const part of store.parts({ bucket: name, object }, remote_id)) parts.set(part.number, part)
  return parts
}
