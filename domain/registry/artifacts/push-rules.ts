import { artifactKindNotAllowed, artifactTooLarge } from '../../../output/registry/errors.ts'
import { faultAt } from '../../../runtime/errors.ts'
import { hasId, type Reader } from '../../ports/store.ts'
import { linkCollection } from '../blobs/blobs-store.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { blobsOf, childrenOf, requiredBlobs } from '../manifests/references.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { artifactCollection, rowOf } from './artifacts-store.ts'

/** The longest list of ids in one read. */
const batch = 500

/** The number of missing digests after which the search for more ends. */
const enoughMissing = 20

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

/**
 * The digests that a manifest names and that its repository lacks, and those whose size differs from their descriptor. The
 * search ends once 20 are missing.
 */
export interface ReferenceFaults {
  readonly missing: readonly string[]
  readonly missized: readonly string[]
}

/**
 * Compares what a manifest names with the repository. `pause` runs before each read; a transaction, which must have locked
 * the row of the repository, has no pauses.
 */
export async function referenceFaults(
  reader: Reader,
  repository: string,
  manifest: Manifest,
  pause?: () => Promise<void>,
): Promise<ReferenceFaults> {
  const missing: string[] = []
  const missized: string[] = []
  const required = new Set(requiredBlobs(manifest))
  for (const blobs of batches(blobsOf(manifest))) {
    await pause?.()
    const ids = blobs.map(({ digest }) => rowOf(repository, digest))
    const sizes = new Map<string, number>()
    for await (const { value } of reader.each(linkCollection, hasId(linkCollection, ids)))
      sizes.set(value.digest, value.size)
    for (const { digest, size } of blobs) {
      if ((sizes.get(digest) ?? size) !== size) missized.push(digest)
      else if (required.has(digest) && !sizes.has(digest)) missing.push(digest)
    }
    if (missing.length >= enoughMissing) return { missing, missized: [] }
  }
  for (const children of batches(childrenOf(manifest))) {
    await pause?.()
    const ids = children.map(digest => rowOf(repository, digest))
    const present = new Set<string>()
    for await (const { value } of reader.each(artifactCollection, hasId(artifactCollection, ids)))
      present.add(value.digest)
    missing.push(...children.filter(digest => !present.has(digest)))
    if (missing.length >= enoughMissing) return { missing, missized: [] }
  }
  return { missing, missized }
}

function* batches<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let i = 0; i < items.length; i += batch) yield items.slice(i, i + batch)
}
