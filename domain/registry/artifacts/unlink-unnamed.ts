import { hasId, type Stored, type Transaction } from '../../ports/store.ts'
import { rowOf } from './artifacts-store.ts'
import { referenceCollection } from './references-store.ts'
import { linkCollection, type StoredLink } from '../blobs/blobs-store.ts'
import { unlinkBlobs } from '../blobs/unlink-blob.ts'

/** The longest time between the upload or mount of a blob and the manifest that names it, in milliseconds. */
export const pushMs = 3_600_000

/** The longest list of ids in one read. */
const batch = 500

/** The sizes of blobs of a repository that none of its manifests names any more. */
export interface Unnamed {
  /** The bytes of the unlinked blobs, by which the repository shrinks. */
  readonly freedBytes: number
  /** The bytes of all unnamed blobs, including the blobs that stay for a while. */
  readonly bytes: number
}

/**
 * Takes blobs out of a repository, whose row the transaction has locked, unless one of its manifests names them or they
 * were touched after `touchedSince`: then a push may be about to name them. `now` is the time of the change in
 * milliseconds since 1970.
 */
export async function unlinkUnnamed(
  tx: Transaction,
  repository: string,
  digests: readonly string[],
  { now, touchedSince }: { readonly now: number; readonly touchedSince: string },
): Promise<Unnamed> {
  const gone: Stored<StoredLink>[] = []
  let bytes = 0
  for (let i = 0; i < digests.length; i += batch) {
    const ids = digests.slice(i, i + batch).map(digest => rowOf(repository, digest))
    for await (const link of tx.each(linkCollection, hasId(linkCollection, ids))) {
      if (await isNamed(tx, link.value)) continue
      bytes += link.value.size
      if (link.value.touch_time <= touchedSince) gone.push(link)
    }
  }
  await unlinkBlobs(tx, gone, now)
  return { freedBytes: gone.reduce((sum, { value }) => sum + value.size, 0), bytes }
}

/** Returns whether a manifest of the repository names a blob. */
export const isNamed = (
  tx: Pick<Transaction, 'exists'>,
  { digest, repository_id }: Pick<StoredLink, 'digest' | 'repository_id'>,
): Promise<boolean> => tx.exists(referenceCollection, { repository_id, kind: 'BLOB', target: digest })
