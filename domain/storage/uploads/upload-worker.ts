import type { Turn } from '../../ports/workers.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { StorageEnvironment } from '../environment.ts'
import { VersionChanges } from '../objects/version-changes.ts'
import { dropFiles } from './drop-files.ts'
import { endUpload } from './end-upload.ts'
import { partCollection, uploadCollection, type StoredUpload } from './uploads-store.ts'

/** The number of parts that one transaction deletes. */
const batchSize = 100

/** The time for which an upload that has ended is listed, in milliseconds. */
const keptMs = 24 * 3_600_000

const [active, completed, expired] = [
  'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE',
  'STORAGE_MULTIPART_UPLOAD_STATE_COMPLETED',
  'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED',
] as const

const ended = [completed, expired, 'STORAGE_MULTIPART_UPLOAD_STATE_ABORTED'] as const

/** Ends the uploads whose time is over, deletes the parts of ended uploads, and forgets uploads a day after their end. */
export async function tidyUploads(environment: StorageEnvironment, { signal, tx }: Turn): Promise<void> {
  const { clock, store } = environment
  for await (const { id, value } of store.each(uploadCollection, { state: active })) {
    if (signal.aborted) return
    // The uploads of S3 stores lie on no instance, and their own worker ends them.
    if (value.instance_id === '') continue
    if (Date.parse(value.expire_time) <= clock.now()) await tx(each => expire(environment, each, id))
  }
  for await (const { id, value } of store.each(uploadCollection, { state: ended })) {
    if (signal.aborted) return
    if (value.has_parts === 'YES')
      while (!(await tx(each => dropParts(environment, each, id)))) if (signal.aborted) return
    if (Date.parse(value.end_time) + keptMs <= clock.now()) await tx(each => forget(each, id))
  }
}

/** Ends an upload whose time is over; uploads of a workspace that is not ACTIVE wait (storage.md 4.13). */
async function expire({ clock, taxonomy }: StorageEnvironment, tx: Transaction, id: string): Promise<void> {
  const found = await tx.get(uploadCollection, id)
  if (!found) return
  const scope = workspaceScope(found.value.workspace_id)
  await taxonomy.share(tx, scope)
  if ((await taxonomy.effectiveState(tx, scope))?.state !== 'ACTIVE') return
  const changes = await VersionChanges.find(tx, found.value.bucket_id, clock.now())
  if (!changes) return
  const upload = await tx.lock(uploadCollection, id)
  if (upload?.value.state !== active) return
  await endUpload(tx, changes, upload, { state: expired }, clock.now())
  await changes.end(taxonomy)
}

/** Deletes a batch of the parts of an upload; returns whether none is left. */
async function dropParts({ clock }: StorageEnvironment, tx: Transaction, id: string): Promise<boolean> {
  const upload = await tx.lock(uploadCollection, id)
  if (!upload || upload.value.has_parts === 'NO') return true
  const parts = []
  for await (const part of tx.each(partCollection, { upload_id: id })) {
    parts.push(part)
    if (parts.length === batchSize) break
  }
  for (const part of parts) await tx.delete(partCollection, part.id, part.version)
  // The object of a completed upload has the files of its parts.
  const files = upload.value.state === completed ? [] : parts.map(({ value }) => value)
  await dropFiles(tx, clock, upload.value, files, clock.now())
  if (parts.length === batchSize) return false
  await markEmpty(tx, upload)
  return true
}

async function markEmpty(tx: Transaction, { id, value, version }: Stored<StoredUpload>): Promise<void> {
  await tx.update(uploadCollection, id, { ...value, has_parts: 'NO' }, version)
}

async function forget(tx: Transaction, id: string): Promise<void> {
  const upload = await tx.lock(uploadCollection, id)
  if (upload?.value.has_parts === 'NO') await tx.delete(uploadCollection, id, upload.version)
}
