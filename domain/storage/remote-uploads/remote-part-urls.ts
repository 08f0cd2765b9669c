import type { ParsedCreatePartUrlsRequest, PartUrl, PartUrlsResponse } from '../../../output/storage/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { StorageEnvironment } from '../environment.ts'
import { expirySeconds } from '../presigned/presigned-form.ts'
import { recordSignature } from '../presigned/record-signature.ts'
import { contentStoreOf } from '../remote-buckets/bucket-store.ts'
import { signRemote } from '../remote-objects/sign-remote.ts'
import { partHeaders, partQuery, uploadOfParts } from '../uploads/part-urls.ts'
import { withChecksums } from './part-checksums.ts'

/** Signs a URL for each of the parts that a caller names; the URLs lead to the store. */
export async function remotePartUrls(
  environment: StorageEnvironment,
  request: ParsedCreatePartUrlsRequest,
  context: CallContext,
): Promise<PartUrlsResponse> {
  const { store, taxonomy } = environment
  const { body, workspace } = request
  const { bucket, upload } = await uploadOfParts(environment, request, context)
  const place = await contentStoreOf(environment, bucket)
  const amount = body.parts.reduce((sum, { content_length = 0 }) => sum + content_length, 0)
  await taxonomy.requireRoom(store, workspace, { quota: 'storage.bytes', amount: Math.max(1, amount) })
  const { remote_id } = await withChecksums(environment, place, upload, body.parts)
  const part_urls: PartUrl[] = []
  for (const part of body.parts) {
    const { part_number } = part
    const terms = {
      method: 'PUT',
      object: upload.object,
      query: { [partQuery.upload]: remote_id, [partQuery.number]: String(part_number) },
      headers: partHeaders(part),
      expiresSeconds: expirySeconds(body.expires_in),
    } as const
    part_urls.push({ ...(await signRemote(environment, place, bucket, terms, context)), part_number })
  }
  const conditions = [partQuery.upload, partQuery.number]
  await recordSignature(environment, { bucket, conditions, method: 'PUT', object: upload.object }, context)
  return { part_urls }
}
