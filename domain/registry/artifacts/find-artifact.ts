import type { Reader, Stored } from '../../ports/store.ts'
import { isDigest } from '../values/digest.ts'
import { artifactCollection, rowOf, type StoredArtifact } from './artifacts-store.ts'
import { tagCollection, tagId, type StoredTag } from './tags-store.ts'

/** An artifact, and the tag by which it was found. */
export interface FoundArtifact {
  readonly artifact: Stored<StoredArtifact>
  readonly tag?: StoredTag
}

/** Returns the artifact of a repository that a tag or a digest names; undefined if there is none. */
export async function findArtifact(
  reader: Reader,
  repository: string,
  reference: string,
): Promise<FoundArtifact | undefined> {
  if (isDigest(reference)) {
    const artifact = await reader.get(artifactCollection, rowOf(repository, reference))
    return artifact && { artifact }
  }
  const tag = (await reader.get(tagCollection, tagId(repository, reference)))?.value
  const artifact = tag && (await reader.get(artifactCollection, rowOf(repository, tag.digest)))
  return artifact && { artifact, tag }
}
