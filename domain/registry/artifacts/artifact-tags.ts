import type { Transaction } from '../../ports/store.ts'
import { artifactCollection, rowOf, type StoredArtifact } from './artifacts-store.ts'
import { tagCollection, tagId, type StoredTag } from './tags-store.ts'

/** The number of tags in the row of an artifact: the newest. */
export const shownTags = 100

/** Returns all tags of an artifact, in the order of their names. */
export async function tagsOf(
  reader: Pick<Transaction, 'each'>,
  repository: string,
  digest: string,
): Promise<readonly StoredTag[]> {
  const tags: StoredTag[] = []
  for await (const { value } of reader.each(tagCollection, { repository_id: repository, digest })) tags.push(value)
  return tags
}

/** Returns the names of all tags of an artifact, in their order. Reads their ids alone, because an artifact can have many. */
export async function tagNamesOf(
  reader: Pick<Transaction, 'each'>,
  repository: string,
  digest: string,
): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { id } of reader.each(tagCollection, { repository_id: repository, digest }))
    names.push(id.slice(tagId(repository, '').length))
  return names
}

/**
 * Sets a tag of a repository, whose row the transaction has locked, to an artifact, whose row exists. Returns the digest
 * that the tag had before; empty for a new tag.
 */
export async function setTag(tx: Transaction, tag: Omit<StoredTag, 'id'>): Promise<string> {
  const id = tagId(tag.repository_id, tag.name)
  const before = await tx.get(tagCollection, id)
  const row = { id, ...tag }
  if (before) await tx.update(tagCollection, id, row, before.version)
  else await tx.insert(tagCollection, row)
  if (before && before.value.digest !== tag.digest) await forgetTag(tx, before.value)
  await changeArtifact(tx, tag, artifact => {
    const shown = { name: tag.name, push_time: tag.push_time, immutable: false }
    const others = artifact.tags.filter(({ name }) => name !== tag.name)
    const isNew = before?.value.digest !== tag.digest
    return {
      ...artifact,
      tag_count: artifact.tag_count + (isNew ? 1 : 0),
      tags: [shown, ...others].slice(0, shownTags),
    }
  })
  return before?.value.digest ?? ''
}

/** Deletes a tag, in a transaction that has locked the row of its repository. */
export async function removeTag(tx: Transaction, tag: StoredTag): Promise<void> {
  const stored = await tx.get(tagCollection, tag.id)
  if (stored) await tx.delete(tagCollection, tag.id, stored.version)
  await forgetTag(tx, tag)
}

/** Takes a tag, whose row is gone or has moved, off the row of its artifact. */
async function forgetTag(tx: Transaction, tag: StoredTag): Promise<void> {
  const { digest, name, repository_id } = tag
  const artifact = (await tx.get(artifactCollection, rowOf(repository_id, digest)))?.value
  // The row has all tags of most artifacts; of the others, the newest that are left are read if one of the newest goes.
  const isRead =
    artifact !== undefined && artifact.tag_count > shownTags && artifact.tags.some(shown => shown.name === name)
  const newest = isRead ? newestOf(await tagsOf(tx, repository_id, digest)) : undefined
  await changeArtifact(tx, tag, row => ({
    ...row,
    tag_count: row.tag_count - 1,
    tags: newest ?? row.tags.filter(shown => shown.name !== name),
  }))
}

const newestOf = (tags: readonly StoredTag[]): StoredArtifact['tags'] =>
  tags
    .toSorted((one, other) => (one.push_time < other.push_time ? 1 : -1))
    .slice(0, shownTags)
    .map(({ name, push_time }) => ({ name, push_time, immutable: false }))

async function changeArtifact(
  tx: Transaction,
  { digest, repository_id }: Pick<StoredTag, 'digest' | 'repository_id'>,
  change: (artifact: StoredArtifact) => StoredArtifact,
): Promise<void> {
  const id = rowOf(repository_id, digest)
  const stored = await tx.get(artifactCollection, id)
  if (stored) await tx.update(artifactCollection, id, change(stored.value), stored.version)
}
