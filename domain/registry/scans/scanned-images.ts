import { hasId, type Reader } from '../../ports/store.ts'
import { artifactCollection, rowOf, type StoredArtifact } from '../artifacts/artifacts-store.ts'
import { withChildren } from '../lock-calls/locked-artifact.ts'

/** The longest list of ids in one read. */
const batch = 500

/** Returns the images of an artifact: an image itself, or the images of its repository that an index lists at any depth. */
export async function scannedImages(
  reader: Reader,
  repository: string,
  digest: string,
): Promise<readonly StoredArtifact[]> {
  const found: StoredArtifact[] = []
  const digests = await withChildren(reader, repository, digest)
  for (let i = 0; i < digests.length; i += batch) {
    const ids = digests.slice(i, i + batch).map(each => rowOf(repository, each))
    for await (const { value } of reader.each(artifactCollection, hasId(artifactCollection, ids)))
      if (value.kind === 'REGISTRY_ARTIFACT_KIND_IMAGE' && !isAttestation(value)) found.push(value)
  }
  return found
}

/** Returns whether an image holds only statements about another image, as builders list them beside it. */
const isAttestation = ({ parents, platform }: StoredArtifact): boolean =>
  parents.length > 0 && platform?.os === 'unknown' && platform.architecture === 'unknown'
