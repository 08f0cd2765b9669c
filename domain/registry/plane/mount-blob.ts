import type { CallContext } from '../../../runtime/context.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { rowOf } from '../artifacts/artifacts-store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import { linkCollection, type StoredLink } from '../blobs/blobs-store.ts'
import { linkBlob } from '../blobs/link-blob.ts'
import { nativeEngine } from '../engines/distribution-engines.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import { findRepositoryByName } from '../repositories/find-repository.ts'
import { lockRepository } from '../repositories/lock-repository.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { grants } from '../tokens/registry-tokens.ts'
import { digestText, parseDigest } from '../values/digest.ts'
import { isPathName } from '../values/names.ts'
import { blobCreated, requirePush, startUpload } from './blob-upload.ts'
import { mayPull } from './may-pull.ts'
import { allowedCall, type PlaneCall, type PlaneReply } from './plane-call.ts'
import { recordingQuotas } from './push-limits.ts'
import type { UploadRequest } from './receive-upload.ts'

/** The largest number of repositories in which a mount without a source looks for the blob. */
const mostSources = 100

/** The request of a mount. */
export interface MountRequest extends UploadRequest {
  readonly mount?: string
  readonly from?: string
}

/**
 * Makes a blob of another repository visible in a repository, or begins an upload if the caller may pull no such blob
 * (end-11): the answer never says that a blob exists where the caller may not pull.
 */
export async function startOrMount(
  environment: RegistryEnvironment,
  { mount, ...request }: MountRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const digest = parseDigest(mount ?? '')
  const call = allowedCall(context)
  if (digest === undefined) return startUpload(environment, request, context)
  const text = digestText(digest)
  const isMounted = await recordingQuotas(environment, call, async () => {
    const link = await sourceOf(environment, call, text, request.from)
    return link !== undefined && (await mountLink(environment, call, link))
  })
  if (isMounted) return blobCreated(call.name, text)
  const { digest: _whole, ...session } = request
  return startUpload(environment, session, context)
}

/** Returns the link of the blob in a repository that the caller may pull; without a name, in any such repository. */
async function sourceOf(
  environment: RegistryEnvironment,
  call: PlaneCall,
  digest: string,
  from: string | undefined,
): Promise<StoredLink | undefined> {
  const { store, taxonomy } = environment
  const own = await store.get(linkCollection, rowOf(call.repository.id, digest))
  if (own) return own.value
  if (from === undefined) return anySource(environment, call, digest)
  if (!isPathName(from) || !grants(call.claims, from, 'pull')) return undefined
  const { repository } = await findRepositoryByName(store, taxonomy, nativeEngine, from)
  if (!repository || !(await mayPull(environment, call.context, repository.value))) return undefined
  return (await store.get(linkCollection, rowOf(repository.id, digest)))?.value
}

async function anySource(
  environment: RegistryEnvironment,
  call: PlaneCall,
  digest: string,
): Promise<StoredLink | undefined> {
  const { store } = environment
  let left = mostSources
  for await (const { value } of store.each(linkCollection, { digest })) {
    const repository = (await store.get(repositoryCollection, value.repository_id))?.value
    if (repository && (await mayPull(environment, call.context, repository))) return value
    left -= 1
    if (left === 0) return undefined
  }
  return undefined
}

/** Links the blob of a source. Returns false if garbage was collected since the source was read. */
function mountLink(
  { clock, store, taxonomy }: RegistryEnvironment,
  { context, repository }: PlaneCall,
  { digest, size }: StoredLink,
): Promise<boolean> {
  const time = formatMillis(context.now)
  return store.tx(async tx => {
    const locked = await lockRepository(tx, taxonomy, repository.value)
    requirePush(locked?.value)
    const linked = locked && (await linkBlob(tx, locked.value, { digest, size }, time))
    if (!linked) return false
    const { id, value } = locked
    await recordAuditEvent(tx, clock, context, {
      action: 'MOUNT',
      workspace: value.workspace_id,
      repository: { id, name: value.name },
      digest,
      bytes: size,
    })
    if (linked.bytes > 0) await chargeUsage(tx, locked, { bytes: linked.bytes }, time)
    return true
  })
}
