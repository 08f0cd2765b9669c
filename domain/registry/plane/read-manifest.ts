import type { CallContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { manifestCollection } from '../artifacts/artifacts-store.ts'
import { findArtifact, type FoundArtifact } from '../artifacts/find-artifact.ts'
import { recordAuditEvent, type EventFacts } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requirePullable } from '../pull-blocks/block-pull.ts'
import { isDigest } from '../values/digest.ts'
import { isTag } from '../values/names.ts'
import { ociError } from './oci-errors.ts'
import { allowedCall, digestHeader, type PlaneReply } from './plane-call.ts'

/**
 * Answers a manifest byte for byte (end-3). A read, unlike HEAD, counts as a pull, and a scan policy can block it; an audit
 * event records both.
 */
export async function readManifest(
  environment: RegistryEnvironment,
  { reference }: { readonly reference: string },
  context: CallContext,
): Promise<PlaneReply> {
  const { clock, pulls, store } = environment
  const call = allowedCall(context)
  const { artifact } = await requireArtifact(environment, call.repository.id, reference)
  const { digest, manifest_size_bytes, media_type } = artifact.value
  const headers = {
    'content-type': media_type,
    [digestHeader]: digest,
    etag: `"${digest}"`,
    'x-content-type-options': 'nosniff',
  }
  if (context.method === 'HEAD')
    return { status: 200, headers: { ...headers, 'content-length': String(manifest_size_bytes) } }
  const { value: repository } = call.repository
  const tag = reference === digest ? '' : reference
  const record = (facts: Pick<EventFacts, 'bytes' | 'outcome' | 'reason'>): Promise<void> =>
    store.tx(tx => {
      const about = { workspace: repository.workspace_id, repository, digest, tag }
      return recordAuditEvent(tx, clock, call.context, { action: 'PULL', ...about, ...facts })
    })
  if (!call.claims.isScanner)
    await requirePullable(environment, repository, artifact.value, context.now).catch(async (error: unknown) => {
      if (error instanceof ApiError) await record({ outcome: 'DENIED', reason: error.reason })
      throw error
    })
  const manifest = await store.get(manifestCollection, artifact.id)
  if (!manifest) throw unknownManifest()
  await record({ bytes: manifest_size_bytes })
  pulls.count(repository.id, digest, context.now)
  return { status: 200, headers, body: new TextEncoder().encode(manifest.value.text) }
}

/** Returns the artifact of a reference. Throws DIGEST_INVALID and MANIFEST_UNKNOWN. */
export async function requireArtifact(
  { store }: Pick<RegistryEnvironment, 'store'>,
  repository: string,
  reference: string,
): Promise<FoundArtifact> {
  if (reference.includes(':') && !isDigest(reference))
    throw ociError('DIGEST_INVALID', 'the digest must be sha256 or sha512 with its hex digits')
  const found = isDigest(reference) || isTag(reference) ? await findArtifact(store, repository, reference) : undefined
  if (!found) throw unknownManifest()
  return found
}

/** Returns the error of an absent manifest. */
export const unknownManifest = () => ociError('MANIFEST_UNKNOWN', 'the repository has no such manifest')
