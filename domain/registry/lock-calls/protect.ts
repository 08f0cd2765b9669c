import type { Transaction } from '../../ports/store.ts'
import { protectedUntil } from '../locks/active-locks.ts'
import { artifactCollection, rowOf } from '../artifacts/artifacts-store.ts'
import { tagCollection } from '../artifacts/tags-store.ts'
import { protectedCollection, tagTarget, type Protected, type StoredLock } from '../locks/locks-store.ts'

type Lock = Pick<StoredLock, 'id' | 'repository_id' | 'digest' | 'protected_digests' | 'protect_tags' | 'expire_time'>

/**
 * Records what a lock protects until its end: its digests, and the tags that point at the artifact now if `withTags`.
 * The transaction holds the lock of the repository's row.
 */
export async function protect(tx: Transaction, lock: Lock, withTags: boolean): Promise<void> {
  const tags: string[] = []
  if (withTags)
    for await (const { value } of tx.each(tagCollection, { repository_id: lock.repository_id, digest: lock.digest }))
      tags.push(tagTarget(value.name))
  for (const target of [...lock.protected_digests, ...tags]) {
    const row = protectedRow(lock, target)
    if (!(await tx.get(protectedCollection, row.id))) await tx.insert(protectedCollection, row)
  }
  await settleArtifacts(tx, lock)
}

/** Deletes what a lock protects; with `onlyTags`, its tags alone. */
export async function release(tx: Transaction, lock: Lock, onlyTags = false): Promise<void> {
  for await (const { id, value, version } of tx.each(protectedCollection, { lock_id: lock.id }))
    if (!onlyTags || value.target.startsWith(tagTarget(''))) await tx.delete(protectedCollection, id, version)
  if (!onlyTags) await settleArtifacts(tx, lock)
}

/** Changes the time until which a lock protects to the time of its row. */
export async function prolong(tx: Transaction, lock: Lock): Promise<void> {
  for await (const { id, value, version } of tx.each(protectedCollection, { lock_id: lock.id }))
    await tx.update(protectedCollection, id, protectedRow(lock, value.target), version)
  await settleArtifacts(tx, lock)
}

const protectedRow = ({ expire_time, id, repository_id }: Lock, target: string): Protected => ({
  id: `${id}/${target}`,
  lock_id: id,
  repository_id,
  target,
  ...(expire_time !== undefined && { expire_time }),
})

/** Writes `locked_until` of the artifacts of a lock: the latest end of all locks that protect each of them. */
async function settleArtifacts(tx: Transaction, { protected_digests, repository_id }: Lock): Promise<void> {
  for (const digest of protected_digests) {
    const artifact = await tx.lock(artifactCollection, rowOf(repository_id, digest))
    if (!artifact) continue
    const locked_until = await protectedUntil(tx, repository_id, digest)
    if (locked_until !== artifact.value.locked_until)
      await tx.update(artifactCollection, artifact.id, { ...artifact.value, locked_until }, artifact.version)
  }
}
