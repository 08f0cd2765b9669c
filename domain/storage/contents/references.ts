import { formatMillis } from '../../../runtime/timestamps.ts'
import { Conflict, type Transaction } from '../../ports/store.ts'
import { contentCollection } from './contents-store.ts'

/**
 * Adds a reference to a content, which its caller found through a version. Throws `Conflict` if the content has lost its
 * last reference since: a worker may be deleting its files, and the repeated transaction finds the version no more.
 */
export async function addReference(tx: Transaction, id: string, nowMs: number): Promise<void> {
  const stored = await tx.lock(contentCollection, id)
  if (!stored || stored.value.references === 0) throw new Conflict(`content ${id} has lost its last version`)
  const next = { ...stored.value, references: stored.value.references + 1, update_time: formatMillis(nowMs) }
  await tx.update(contentCollection, id, next, stored.version)
}

/** Takes a reference off a content. */
export async function dropReference(tx: Transaction, id: string, nowMs: number): Promise<void> {
  const stored = await tx.lock(contentCollection, id)
  if (!stored) return
  const next = { ...stored.value, references: stored.value.references - 1, update_time: formatMillis(nowMs) }
  await tx.update(contentCollection, id, next, stored.version)
}
