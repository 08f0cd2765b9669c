import { artifactReferenced } from '../../../output/registry/errors.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { rowOf } from '../artifacts/artifacts-store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import { unlinkBlobs } from '../blobs/unlink-blob.ts'
import { isNamed } from '../artifacts/unlink-unnamed.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import { lockShrinkingRepository } from '../repositories/lock-repository.ts'
import { ociError } from './oci-errors.ts'
import { allowedCall, type PlaneReply } from './plane-call.ts'
import { requireDigest } from './read-blob.ts'

/** Takes a blob out of a repository (end-10). A blob that a manifest of the repository names stays. */
export async function deleteBlob(
  { store, taxonomy }: RegistryEnvironment,
  request: { readonly digest: string },
  context: CallContext,
): Promise<PlaneReply> {
  const { repository } = allowedCall(context)
  const digest = requireDigest(request.digest)
  const time = formatMillis(context.now)
  await store.tx(async tx => {
    const locked = await lockShrinkingRepository(tx, taxonomy, repository.value)
    const link = locked && (await tx.get(linkCollection, rowOf(repository.id, digest)))
    if (!locked || !link) throw ociError('BLOB_UNKNOWN', 'the repository has no such blob')
    if (await isNamed(tx, link.value)) {
      const description = 'must not be named by a manifest of the repository'
      throw artifactReferenced('a manifest of the repository names the blob; delete the manifest first', {
        precondition: [{ type: 'BLOB', subject: digest, description }],
      })
    }
    await unlinkBlobs(tx, [link], context.now)
    await chargeUsage(tx, locked, { bytes: -link.value.size }, time)
  })
  return { status: 202 }
}
