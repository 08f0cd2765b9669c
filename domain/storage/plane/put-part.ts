import type { CallContext } from '../../../runtime/context.ts'
import type { StorageEnvironment } from '../environment.ts'
import { classOf, sizeLimit, tooLarge } from '../objects/object-limits.ts'
import { findUpload, requireActiveUpload } from '../uploads/find-upload.ts'
import { partQuery } from '../uploads/part-urls.ts'
import { partCollection, partId } from '../uploads/uploads-store.ts'
import { putPart } from '../uploads/put-part.ts'
import { uploadActivity } from './upload-activity.ts'
import type { Transfer } from './count-traffic.ts'
import { allowedCall } from './plane-doors.ts'
import type { PutReply } from './put-object.ts'
import { nothing } from './quota-room.ts'
import { storeContent, type Body } from './store-content.ts'
import { sha256Header } from '../presigned/upload-headers.ts'

/** The largest size of a part in bytes: 5 GiB. */
const maxPartBytes = 5 * 2 ** 30

/** Writes the body of a request as a part of an upload, in place of a part with the same number (storage.md 4.7). */
export async function uploadPart(
  environment: StorageEnvironment,
  body: Body,
  context: CallContext,
): Promise<Transfer<PutReply>> {
  const { clock, store, taxonomy } = environment
  const call = allowedCall(context)
  const { bucket, request } = call
  const upload = request.query[partQuery.upload] ?? ''
  const number = Number(request.query[partQuery.number])
  const { value } = await findUpload(store, bucket.id, upload)
  requireActiveUpload(value, context.now)
  const maxBytes = Math.min(maxPartBytes, sizeLimit(bucket, await classOf(store, bucket)))
  const path = `parts/${upload}/${number}.${clock.newId()}`
  const { digests, size } = await storeContent(environment, call, body, {
    maxBytes,
    tooLong: () => tooLarge('the body', maxBytes),
    path,
    arrivalOf: length => ({
      added: { ...nothing, incomplete: length },
      async replaced(reader) {
        const before = await reader.get(partCollection, partId(upload, number))
        return { ...nothing, incomplete: before?.value.size ?? 0 }
      },
    }),
    commit: file =>
      store.tx(async tx => {
        await taxonomy.requireActive(tx, bucket.workspace_id)
        await putPart(environment, tx, { bucket: bucket.id, file, number, path, upload }, context)
        await environment.audit.recordActivity(tx, uploadActivity(bucket, request.object, context))
      }),
  })
  const headers = { etag: `"${digests.md5}"`, [sha256Header]: digests.sha256 }
  return { reply: { status: 200, headers }, bytes: size }
}
