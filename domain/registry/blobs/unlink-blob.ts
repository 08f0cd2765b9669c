import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { blobCollection, linkCollection, type StoredLink } from './blobs-store.ts'

/**
 * Deletes links of blobs. A blob without any other link gets `unlinked_time`, from which its grace counts. The rows of the
 * blobs are locked before their links are counted, in the order of the digests, so that of two transactions that delete
 * the last two links the later one finds none.
 */
export async function unlinkBlobs(tx: Transaction, links: readonly Stored<StoredLink>[], now: number): Promise<void> {
  const sorted = links.toSorted((one, other) => (one.value.digest < other.value.digest ? -1 : 1))
  for (const { id, value, version } of sorted) {
    const blob = await tx.lock(blobCollection, value.digest)
    await tx.delete(linkCollection, id, version)
    if (blob?.value.state !== 'LINKED' || (await tx.exists(linkCollection, { digest: value.digest }))) continue
    const unlinked = { ...blob.value, state: 'UNLINKED', unlinked_time: formatMillis(now) } as const
    await tx.update(blobCollection, blob.id, unlinked, blob.version)
  }
}
