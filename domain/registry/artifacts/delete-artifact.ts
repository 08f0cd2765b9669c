import { artifactReferenced } from '../../../output/registry/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { pushMs, unlinkUnnamed } from './unlink-unnamed.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireUnlocked } from '../locks/active-locks.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { dropScan } from '../scan-results/drop-scan.ts'
import { removeTag, tagNamesOf } from './artifact-tags.ts'
import { artifactCollection, manifestCollection, rowOf, type StoredArtifact } from './artifacts-store.ts'
import { changeParents } from './child-parents.ts'
import { dropRow } from '../drop-row.ts'
import { deleteReferences } from './manifest-references.ts'
import { referenceCollection } from './references-store.ts'
import { requireMutable } from './tag-rules.ts'
import { tagCollection, type StoredTag } from './tags-store.ts'

/** An artifact that is deleted. */
interface DeletedArtifact extends Pick<StoredArtifact, 'digest' | 'manifest_size_bytes'> {
  /** The names of all of its tags, if the transaction has read them since it locked the repository. */
  readonly names?: readonly string[]
}

/**
 * Deletes an artifact with its tags from a repository, whose row the transaction has locked, and unlinks the blobs that
 * no other manifest of the repository names. Returns the bytes of these blobs; a blob counts even if it stays for a while
 * because a push may be about to name it. Throws ARTIFACT_LOCKED, ARTIFACT_REFERENCED and TAG_IMMUTABLE.
 */
export async function deleteArtifact(
  { collectionGraceMs }: Pick<RegistryEnvironment, 'collectionGraceMs'>,
  tx: Transaction,
  locked: Stored<StoredRepository>,
  { digest, manifest_size_bytes, names: known }: DeletedArtifact,
  now: number,
): Promise<number> {
  const { id, value: repository } = locked
  const names = known ?? (await tagNamesOf(tx, id, digest))
  await requireUnlocked(tx, id, { digests: [digest], tags: names }, now)
  await requireNoParent(tx, id, digest)
  requireMutable(repository, names)
  await tx.deleteAll(tagCollection, { repository_id: id, digest })
  const row = rowOf(id, digest)
  await dropRow(tx, artifactCollection, row)
  await dropRow(tx, manifestCollection, row)
  await dropScan(tx, row)
  const references = await deleteReferences(tx, id, digest)
  const targets = (kind: string) => references.filter(one => one.kind === kind).map(({ target }) => target)
  await changeParents(tx, id, targets('CHILD'), parents => parents.filter(parent => parent !== digest))
  const touchedSince = formatMillis(now - Math.min(pushMs, collectionGraceMs))
  const { bytes, freedBytes } = await unlinkUnnamed(tx, id, targets('BLOB'), { now, touchedSince })
  const change = { artifacts: -1, tags: -names.length, bytes: -freedBytes - manifest_size_bytes }
  await chargeUsage(tx, locked, change, formatMillis(now))
  return bytes
}

/** Deletes a tag of a repository, whose row the transaction has locked. Throws ARTIFACT_LOCKED and TAG_IMMUTABLE. */
export async function untag(
  tx: Transaction,
  locked: Stored<StoredRepository>,
  tag: StoredTag,
  now: number,
): Promise<void> {
  await requireUnlocked(tx, locked.id, { tags: [tag.name] }, now)
  requireMutable(locked.value, [tag.name])
  await removeTag(tx, tag)
  await chargeUsage(tx, locked, { tags: -1 }, formatMillis(now))
}

async function requireNoParent(tx: Transaction, repository: string, digest: string): Promise<void> {
  const parent = await tx.find(referenceCollection, { repository_id: repository, kind: 'CHILD', target: digest })
  if (!parent) return
  const description = 'must not be listed by an index of the repository'
  throw artifactReferenced(`the index ${parent.value.digest} lists the artifact; delete the index first`, {
    precondition: [{ type: 'ARTIFACT', subject: digest, description }],
  })
}
