import type { Artifact } from '../../../output/registry/types.ts'
import type { Answer } from '../../../runtime/json.ts'
import type { Listed, Reader } from '../../ports/store.ts'
import { jsonText } from '../../resources/json-text.ts'
import type { StoredArtifact } from '../artifacts/artifacts-store.ts'
import { isImmutable } from '../artifacts/tag-rules.ts'
import { protectedCollection } from '../locks/locks-store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { isActive } from '../values/expiry.ts'

/** The ids of the ACTIVE locks of artifacts, in ascending order, keyed by digest. */
export type LockIds = ReadonlyMap<string, readonly string[]>

/** Returns the locks of artifacts of a repository at a time in milliseconds since 1970. */
export async function locksOf(
  reader: Reader,
  repository: string,
  digests: readonly string[],
  now: number,
): Promise<LockIds> {
  const found = new Map<string, string[]>()
  for await (const { value } of reader.each(protectedCollection, { repository_id: repository, target: digests })) {
    if (!isActive(value, now)) continue
    const ids = found.get(value.target) ?? []
    found.set(value.target, [...ids, value.lock_id].toSorted())
  }
  return found
}

/** Returns an artifact of a list: its stored text, unless the rules of the repository or a lock say more. */
export function listedAnswer(
  { members: [digest], text, value }: Listed<StoredArtifact, ['digest']>,
  repository: StoredRepository,
  locks: LockIds,
): Answer<Artifact> {
  const isLocked = locks.has(digest)
  if (!isLocked && repository.tag_mutability === 'REGISTRY_TAG_MUTABILITY_MUTABLE') return text
  return jsonText(shownArtifact(value, repository, locks))
}

/** Returns an artifact with the rules of its tags, and with its locks. */
export function shownArtifact(artifact: StoredArtifact, repository: StoredRepository, locks: LockIds): Artifact {
  const { locked_until: _until, row_id: _row, workspace_id: _workspace, ...shown } = artifact
  const lock_ids = [...(locks.get(artifact.digest) ?? [])]
  return {
    ...shown,
    tags: artifact.tags.map(tag => ({ ...tag, immutable: isImmutable(repository, tag.name) })),
    locked: lock_ids.length > 0,
    lock_ids,
  }
}
