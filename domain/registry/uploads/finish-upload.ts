import { ApiError } from '../../../runtime/errors.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { UploadChanged } from '../blobs/blob-store.ts'
import { blobCollection } from '../blobs/blobs-store.ts'
import { linkBlob } from '../blobs/link-blob.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { chargeUsage } from '../quotas/charge-usage.ts'
import { lockRepository } from '../repositories/lock-repository.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { digestText, type Digest } from '../values/digest.ts'
import { uploadCollection } from './uploads-store.ts'

/** An upload whose bytes have all arrived. */
export interface FinishedUpload {
  readonly upload: string
  /** The number of bytes that the calls have received, of which a part may be gone if another call ends the upload. */
  readonly received: number
  /** Whether the upload has had a row since an earlier call, so that only one call can end it. */
  readonly isBegun?: boolean
  readonly repository: StoredRepository
  readonly digest: Digest
  readonly now: number
  /** Throws unless the locked row of the repository takes a push; the row is undefined if it was deleted. */
  readonly requirePush: (locked: StoredRepository | undefined) => void
}

/** The result: whether the bytes have the digest, unless another call has ended or changed the upload meanwhile. */
export type UploadResult = 'stored' | 'mismatch' | 'ended'

/**
 * Makes an upload a blob of its repository: compares its digest, makes its file durable, and commits the rows (registry.md
 * 4.3). Bytes that the registry has already are dropped. Throws QUOTA_EXCEEDED, and the errors of `requirePush`.
 */
export async function finishUpload(
  environment: Pick<RegistryEnvironment, 'blobs' | 'clock' | 'store' | 'taxonomy'>,
  finished: FinishedUpload,
): Promise<UploadResult> {
  const { blobs, clock, store } = environment
  const { digest, received, upload } = finished
  const { hex, size } = await blobs.seal(upload, digest.algorithm)
  if (hex !== digest.hex) {
    await blobs.discard(upload)
    if (size < received) return 'ended'
    await store.tx(tx => dropUpload(tx, upload))
    return 'mismatch'
  }
  const known = await store.get(blobCollection, digestText(digest))
  if (known !== undefined && known.value.state !== 'DELETING') {
    const committed = await commit(environment, finished, size)
    if (committed !== 'lost') {
      await blobs.discard(upload)
      return committed === 'ended' ? 'ended' : 'stored'
    }
  }
  const file = `blobs/${digest.algorithm}/${hex.slice(0, 2)}/${hex}.${clock.newId()}`
  try {
    await blobs.keep(upload, file, size)
    const committed = await commit(environment, finished, size, file)
    if (committed !== 'used') await blobs.remove(file)
    return committed === 'ended' ? 'ended' : 'stored'
  } catch (error) {
    if (error instanceof UploadChanged) return 'ended'
    // After another error the rows may be committed. A worker deletes the files that no row names.
    if (error instanceof ApiError && error.rpc !== 'UNAVAILABLE') {
      await blobs.remove(file).catch(() => {})
      await store.tx(tx => dropUpload(tx, upload))
    }
    throw error
  }
}

/** Deletes the row of an upload, if there is one. */
export async function dropUpload(tx: Transaction, upload: string): Promise<void> {
  const stored = await tx.lock(uploadCollection, upload)
  if (stored) await tx.delete(uploadCollection, upload, stored.version)
}

/**
 * The result of a commit: whether the row of the blob names the new file or an older one, unless another call has ended
 * the upload, or the registry has lost a blob without a new file since.
 */
type Committed = 'used' | 'known' | 'ended' | 'lost'

/** Commits the rows of a blob, whose bytes are in `file` or in the file of an equal blob. */
function commit(
  { store, taxonomy }: Pick<RegistryEnvironment, 'store' | 'taxonomy'>,
  { digest, isBegun = false, now, repository, requirePush, upload }: FinishedUpload,
  size: number,
  file?: string,
): Promise<Committed> {
  const time = formatMillis(now)
  return store.tx(async tx => {
    const locked = await lockRepository(tx, taxonomy, repository)
    requirePush(locked?.value)
    if (!locked) return 'lost'
    if (isBegun && !(await tx.lock(uploadCollection, upload))) return 'ended'
    const linked = await linkBlob(tx, locked.value, { digest: digestText(digest), size, file }, time)
    if (!linked) return 'lost'
    await dropUpload(tx, upload)
    if (linked.bytes > 0) await chargeUsage(tx, locked, { bytes: linked.bytes }, time)
    return linked.usesFile ? 'used' : 'known'
  })
}
