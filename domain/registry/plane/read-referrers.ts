import type { CallContext } from '../../../runtime/context.ts'
import { artifactCollection, manifestCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { referenceCollection, type StoredReference } from '../artifacts/references-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { manifestTypes } from '../manifests/media-types.ts'
import { maxManifestBytes, parseManifest } from '../manifests/parse-manifest.ts'
import { nextLink } from './paging.ts'
import { allowedCall, jsonReply, type PlaneReply } from './plane-call.ts'
import { requireDigest } from './read-blob.ts'

/** The bytes that an index has beside its descriptors, at most. */
const spareBytes = 1024

/** The request of the referrers of a digest. */
export interface ReferrersRequest {
  readonly digest: string
  readonly artifactType?: string
  /** The digest of the last referrer of the answer before. */
  readonly last?: string
}

/** The descriptor of a referrer. */
interface Referrer {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly artifactType: string
  readonly annotations?: Readonly<Record<string, string>>
}

/**
 * Answers the manifests of a repository that are about a digest, as an index of at most 4 MiB (end-12). The digest need
 * not be that of a manifest in the repository.
 */
export async function readReferrers(
  environment: RegistryEnvironment,
  request: ReferrersRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const { name, repository } = allowedCall(context)
  const { artifactType = '', last } = request
  const target = requireDigest(request.digest)
  const where = {
    repository_id: repository.id,
    kind: 'SUBJECT',
    target,
    ...(artifactType !== '' && { artifact_type: artifactType }),
  }
  const after = last === undefined ? undefined : `${rowOf(repository.id, last)}/SUBJECT/${target}`
  const manifests: Referrer[] = []
  let bytes = spareBytes
  let next: string | undefined
  for await (const { value } of environment.store.each(referenceCollection, where, after)) {
    const referrer = await referrerOf(environment, value)
    if (!referrer) continue
    bytes += Buffer.byteLength(JSON.stringify(referrer)) + 1
    if (bytes > maxManifestBytes && manifests.length > 0) {
      next = manifests.at(-1)?.digest
      break
    }
    manifests.push(referrer)
  }
  const query = { ...(artifactType !== '' && { artifactType }), last: next ?? '' }
  return jsonReply(
    { schemaVersion: 2, mediaType: manifestTypes.ociIndex, manifests },
    {
      'content-type': manifestTypes.ociIndex,
      ...(artifactType !== '' && { 'oci-filters-applied': 'artifactType' }),
      ...(next !== undefined && nextLink(`/v2/${name}/referrers/${target}`, query)),
    },
  )
}

async function referrerOf(
  { store }: RegistryEnvironment,
  { artifact_type, digest, repository_id }: StoredReference,
): Promise<Referrer | undefined> {
  const id = rowOf(repository_id, digest)
  const artifact = (await store.get(artifactCollection, id))?.value
  const stored = (await store.get(manifestCollection, id))?.value
  if (!artifact || !stored) return undefined
  const { annotations } = parseManifest(new TextEncoder().encode(stored.text), artifact.media_type).manifest
  return {
    mediaType: artifact.media_type,
    digest,
    size: artifact.manifest_size_bytes,
    artifactType: artifact_type,
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}
