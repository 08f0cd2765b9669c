import type { Transaction } from '../../ports/store.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { blobCollection, linkCollection, linkId } from './blobs-store.ts'

/** A blob that is going to be visible in a repository. */
export interface LinkedBlob {
  readonly digest: string
  readonly size: number
  /** The new file with the bytes; absent to use the file that the registry has already. */
  readonly file?: string | undefined
}

/** The result of a link. */
export interface Linked {
  /** The bytes by which the repository grows; 0 if it had the blob already. */
  readonly bytes: number
  /** Whether the row of the blob names the new file. */
  readonly usesFile: boolean
}

/**
 * Makes a blob visible in a repository, whose row the transaction has locked. Returns undefined, and changes nothing, if
 * there is no new file and the registry has none: garbage was collected since the file was seen.
 */
export async function linkBlob(
  tx: Transaction,
  { id, workspace_id }: Pick<StoredRepository, 'id' | 'workspace_id'>,
  { digest, file, size }: LinkedBlob,
  time: string,
): Promise<Linked | undefined> {
  const known = await tx.lock(blobCollection, digest)
  const isStored = known !== undefined && known.value.state !== 'DELETING'
  if (!isStored && file === undefined) return undefined
  const row = { id: digest, size, file: isStored ? known.value.file : (file ?? ''), state: 'LINKED' } as const
  if (!known) await tx.insert(blobCollection, row)
  else if (known.value.state !== 'LINKED') await tx.update(blobCollection, digest, row, known.version)
  const bytes = await touchLink(tx, { id: linkId(id, digest), workspace_id, repository_id: id, digest, size }, time)
  return { bytes, usesFile: !isStored }
}

async function touchLink(
  tx: Transaction,
  link: { readonly id: string; readonly workspace_id: string; readonly repository_id: string } & Omit<
    LinkedBlob,
    'file'
  >,
  touch_time: string,
): Promise<number> {
  const stored = await tx.get(linkCollection, link.id)
  if (!stored) {
    await tx.insert(linkCollection, { ...link, touch_time })
    return link.size
  }
  await tx.update(linkCollection, link.id, { ...link, touch_time }, stored.version)
  return 0
}
