import { artifactNotFound, referenceInvalid } from '../../../output/registry/errors.ts'
import type { ApiError } from '../../../runtime/errors.ts'
import { atField, faultAt } from '../../../runtime/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { artifactCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { referenceCollection } from '../artifacts/references-store.ts'
import { isDigest } from '../values/digest.ts'
import { isTag } from '../values/names.ts'

/** Throws REFERENCE_INVALID at the field `reference` for a text that is neither a tag nor a digest. */
export function requireReference(reference: string): void {
  if (isTag(reference) || isDigest(reference)) return
  throw faultAt(referenceInvalid, 'reference', 'must be a tag or a digest')
}

/** Returns the digest that a reference names now. Throws ARTIFACT_NOT_FOUND at the field `reference`. */
export async function lockedDigest(reader: Reader, repository: string, reference: string): Promise<string> {
  const found = await findArtifact(reader, repository, reference)
  if (!found) throw absentArtifact(repository, reference, 'reference')
  return found.artifact.value.digest
}

/** Throws ARTIFACT_NOT_FOUND at a field if the artifact of a lock is gone. */
export async function requirePresent(
  reader: Reader,
  { digest, repository_id }: { readonly digest: string; readonly repository_id: string },
  field: string,
): Promise<void> {
  if (await reader.get(artifactCollection, rowOf(repository_id, digest))) return
  throw absentArtifact(repository_id, digest, field)
}

/** Returns the digest itself, and the digests of the children of an index at any depth, each once. */
export async function withChildren(reader: Reader, repository: string, digest: string): Promise<string[]> {
  const found = new Set([digest])
  let level = [digest]
  while (level.length > 0) {
    const next: string[] = []
    for (const each of level) {
      const where = { repository_id: repository, digest: each, kind: 'CHILD' }
      for await (const { value } of reader.each(referenceCollection, where)) {
        if (found.has(value.target)) continue
        found.add(value.target)
        next.push(value.target)
      }
    }
    level = next
  }
  return [...found]
}

const absentArtifact = (repository: string, reference: string, field: string): ApiError =>
  atField(
    artifactNotFound(`repository ${repository} has no artifact ${reference.slice(0, 80)}`, {
      resource: { type: 'registry.artifacts', name: `${repository}/${reference.slice(0, 140)}` },
    }),
    field,
  )
