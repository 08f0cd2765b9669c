import { artifactNotFound } from '../../../output/registry/errors.ts'
import type { Artifact, GetArtifactRequest } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { hasId, type Reader } from '../../ports/store.ts'
import { artifactCollection, manifestCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireReference } from '../lock-calls/locked-artifact.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { parseManifest } from '../manifests/parse-manifest.ts'
import { childrenOf } from '../manifests/references.ts'
import { findRepository } from '../repositories/find-repository.ts'
import { locksOf, shownArtifact } from './artifact-answer.ts'

/** The number of referrers of an answer. */
const shownReferrers = 20

/** The longest list of ids in one read. */
const batch = 500

/** Returns an artifact with all that its manifest says. Throws REFERENCE_INVALID, REPOSITORY_NOT_FOUND, ARTIFACT_NOT_FOUND. */
export async function getArtifact(
  { store, taxonomy }: RegistryEnvironment,
  request: GetArtifactRequest,
  { now }: CallContext,
): Promise<Artifact> {
  requireReference(request.reference)
  const { id, value: repository } = await findRepository(store, taxonomy, { ...request, engine: 'native' })
  const artifact = (await findArtifact(store, id, request.reference))?.artifact
  const stored = artifact && (await store.get(manifestCollection, artifact.id))
  if (!artifact || !stored) throw absentArtifact(id, request.reference)
  const { digest, media_type } = artifact.value
  const { manifest } = parseManifest(new TextEncoder().encode(stored.value.text), media_type)
  return {
    ...shownArtifact(artifact.value, repository, await locksOf(store, id, [digest], now)),
    children: await shownChildren(store, id, manifest),
    layers: manifest.layers.map(layer => ({
      digest: layer.digest,
      media_type: layer.media_type,
      size_bytes: layer.size,
    })),
    annotations: { ...manifest.annotations },
    referrers: await referrersOf(store, id, digest),
  }
}

/** Returns the error of an absent artifact of a repository. */
export const absentArtifact = (repository: string, reference: string): ApiError =>
  artifactNotFound(`repository ${repository} has no artifact ${reference.slice(0, 140)}`, {
    resource: { type: 'registry.artifacts', name: `${repository}/${reference.slice(0, 140)}` },
  })

async function shownChildren(reader: Reader, repository: string, manifest: Manifest): Promise<Artifact['children']> {
  const present = new Set<string>()
  const digests = childrenOf(manifest)
  for (let i = 0; i < digests.length; i += batch) {
    const ids = digests.slice(i, i + batch).map(digest => rowOf(repository, digest))
    for await (const { value } of reader.each(artifactCollection, hasId(artifactCollection, ids)))
      present.add(value.digest)
  }
  return manifest.children.map(({ digest, media_type, platform }) => ({
    digest,
    media_type,
    ...(platform && { platform: { ...platform } }),
    present: present.has(digest),
  }))
}

async function referrersOf(reader: Reader, repository: string, target: string): Promise<Artifact['referrers']> {
  const referrers: Artifact['referrers'] = []
  for await (const { value } of reader.each(referenceCollection, {
    repository_id: repository,
    kind: 'SUBJECT',
    target,
  })) {
    referrers.push({ digest: value.digest, artifact_type: value.artifact_type })
    if (referrers.length === shownReferrers) break
  }
  return referrers
}
