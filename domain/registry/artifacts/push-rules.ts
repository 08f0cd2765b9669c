import { artifactKindNotAllowed, artifactTooLarge } from '../../../output/registry/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { hasId, type Transaction } from '../../ports/store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { blobsOf, childrenOf, requiredBlobs } from '../manifests/references.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { artifactCollection, rowOf } from './artifacts-store.ts'

/** The longest list of ids in one read. */
const batch = 500

/** Throws ARTIFACT_KIND_NOT_ALLOWED and ARTIFACT_TOO_LARGE, as the settings of the repository say. */
export function requireAllowed(
  { allowed_kinds, id, max_artifact_size_bytes }: StoredRepository,
  { kind }: Manifest,
  sizeBytes: number,
): void {
  const name = `REGISTRY_ARTIFACT_KIND_${kind}` as const
  if (allowed_kinds.length > 0 && !allowed_kinds.includes(name)) {
    const description = `takes ${allowed_kinds.join(', ')}, not ${name}`
    throw artifactKindNotAllowed(`the repository ${description}`, {
      precondition: [{ type: 'KIND', subject: id, description }],
    })
  }
  if (max_artifact_size_bytes > 0 && sizeBytes > max_artifact_size_bytes)
    throw faultAt(artifactTooLarge, 'body', `must have at most ${max_artifact_size_bytes} bytes, and has ${sizeBytes}`)
}

/** The digests that a manifest names and that its repository lacks, and those whose size differs from their descriptor. */
export interface ReferenceFaults {
  readonly missing: readonly string[]
  readonly missized: readonly string[]
}

/** Compares what a manifest names with the repository, whose row the transaction has locked. */
export async function referenceFaults(
  tx: Transaction,
  repository: string,
  manifest: Manifest,
): Promise<ReferenceFaults> {
  const sizes = new Map<string, number>()
  const blobs = blobsOf(manifest)
  for (const ids of batches(
    repository,
    blobs.map(({ digest }) => digest),
  ))
    for await (const { value } of tx.each(linkCollection, hasId(linkCollection, ids)))
      sizes.set(value.digest, value.size)
  const present = new Set<string>()
  const children = childrenOf(manifest)
  for (const ids of batches(repository, children))
    for await (const { value } of tx.each(artifactCollection, hasId(artifactCollection, ids))) present.add(value.digest)
  return {
    missing: [
      ...requiredBlobs(manifest).filter(digest => !sizes.has(digest)),
      ...children.filter(digest => !present.has(digest)),
    ],
    missized: blobs.filter(({ digest, size }) => (sizes.get(digest) ?? size) !== size).map(({ digest }) => digest),
  }
}

function* batches(repository: string, digests: readonly string[]): Generator<readonly string[], void, undefined> {
  for (let i = 0; i < digests.length; i += batch)
    yield digests.slice(i, i + batch).map(digest => rowOf(repository, digest))
}
