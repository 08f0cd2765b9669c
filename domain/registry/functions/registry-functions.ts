import type { ArtifactPlace, BlobRange, OpenedBlob, Registry, ResolvedArtifact } from '../../ports/registry.ts'
import type { Reader } from '../../ports/store.ts'
import { manifestCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { blobCollection, linkCollection } from '../blobs/blobs-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { lockDigest, unlock } from '../lock-calls/machine-locks.ts'
import { parseManifest } from '../manifests/parse-manifest.ts'
import { openBlob } from '../plane/read-blob.ts'
import { requireServing } from '../plane/serving.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

/** Returns the functions of the registry for other areas. */
export const registryFunctions = (environment: RegistryEnvironment): Registry => ({
  resolveArtifact,
  readBlob: (repository, digest, range) => readBlob(environment, repository, digest, range),
  lockDigest: (tx, repository, digest, holder) => lockDigest(tx, environment.clock, repository, digest, holder),
  unlock: (tx, holder) => unlock(tx, environment.clock, holder),
})

async function resolveArtifact(
  reader: Reader,
  { reference, repository, workspace }: ArtifactPlace,
): Promise<ResolvedArtifact | undefined> {
  const stored = (await reader.get(repositoryCollection, repository))?.value
  if (stored?.workspace_id !== workspace || stored.state === 'REGISTRY_REPOSITORY_STATE_DELETING') return undefined
  const artifact = (await findArtifact(reader, repository, reference))?.artifact
  const manifest = artifact && (await reader.get(manifestCollection, artifact.id))
  if (!artifact || !manifest) return undefined
  const { digest, media_type } = artifact.value
  const { layers } = parseManifest(new TextEncoder().encode(manifest.value.text), media_type).manifest
  return { digest, layers: layers.map(layer => ({ digest: layer.digest, size: layer.size })) }
}

async function readBlob(
  environment: RegistryEnvironment,
  repository: string,
  digest: string,
  range?: BlobRange,
): Promise<OpenedBlob | undefined> {
  const { store } = environment
  const link = await store.get(linkCollection, rowOf(repository, digest))
  const blob = link && (await store.get(blobCollection, digest))?.value
  if (!blob || blob.state === 'DELETING') return undefined
  await requireServing(environment)
  const { size } = blob
  const opened = await openBlob(environment, repository, blob)
  return { size, body: opened.stream(range?.first ?? 0, Math.min(range?.last ?? Infinity, size - 1)) }
}
