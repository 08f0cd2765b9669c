import { repositoryReadOnly } from '../../../output/registry/errors.ts'
import { quotaExceeded } from '../../../output/shared/errors.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { largestLink, linkCollection, linkId } from '../blobs/blobs-store.ts'
import { blobBytesLimit, storageRoom } from '../quotas/quotas.ts'
import type { StoredRepository } from '../repositories/repositories-store.ts'
import { openBytes, uploadCollection } from '../uploads/uploads-store.ts'
import { ociError } from './oci-errors.ts'
import type { PlaneCall } from './plane-call.ts'

/** Throws REPOSITORY_READ_ONLY unless a repository takes pushes. */
export function requirePushable({ id, state }: StoredRepository): void {
  if (state !== 'REGISTRY_REPOSITORY_STATE_READ_ONLY') return
  const description = 'must store less than the limit of registry.storageBytes'
  throw repositoryReadOnly('the workspace stores more than its limit; delete artifacts first', {
    precondition: [{ type: 'STATE', subject: id, description }],
  })
}

/** The limit of the bytes of an upload. */
export interface UploadLimit {
  readonly maxBytes: number
  readonly tooLong: () => Error
}

/** The largest number of uploads of a workspace that have not ended. */
const maxOpenUploads = 1000

/** Throws TOOMANYREQUESTS if a workspace can begin no further upload. */
export async function requireFewUploads(
  { store }: Pick<RegistryEnvironment, 'store'>,
  { value: { workspace_id } }: Stored<StoredRepository>,
): Promise<void> {
  if ((await store.count(uploadCollection, { workspace_id })) < maxOpenUploads) return
  throw ociError(
    'TOOMANYREQUESTS',
    `the workspace has ${maxOpenUploads} uploads that have not ended; end or cancel some`,
  )
}

/** The bytes of an upload. */
interface UploadBytes {
  /** The id of the upload. */
  readonly upload: string
  /** The number of bytes that the calls before have received. */
  readonly received: number
  /** The known number of bytes of the call. */
  readonly length: number
  /** The expected digest; undefined before it is known. */
  readonly digest: string | undefined
}

/**
 * Returns the limit of an upload. Throws QUOTA_EXCEEDED if its known bytes exceed the largest blob or the bytes that the
 * workspace may store beside its other uploads. A blob that the repository has already takes no room, but is no larger
 * than others may be.
 */
export async function uploadLimit(
  { store }: Pick<RegistryEnvironment, 'store'>,
  repository: Stored<StoredRepository>,
  upload: UploadBytes,
): Promise<UploadLimit> {
  const { workspace_id } = repository.value
  const bytes = upload.received + upload.length
  const refusals = [
    { quota: 'registry.blobBytes', most: await blobBytesLimit(store, workspace_id) },
    { quota: 'registry.storageBytes', most: await roomFor(store, repository, upload) },
  ].map(({ most, quota }) => ({ most: most < 0 ? Number.MAX_SAFE_INTEGER : most, quota }))
  const { most, quota } = refusals.toSorted((one, other) => one.most - other.most)[0] ?? { most: 0, quota: '' }
  const tooLong = (): ApiError => exceeded(quota, workspace_id, most, bytes)
  if (bytes > most) throw tooLong()
  return { maxBytes: most, tooLong }
}

/** Returns the largest number of bytes of an upload that may still prove to fit into the workspace; -1 without a limit. */
async function roomFor(
  reader: Reader,
  { id, value: { workspace_id } }: Stored<StoredRepository>,
  { digest, received, upload }: UploadBytes,
): Promise<number> {
  const room = await storageRoom(reader, workspace_id)
  if (room < 0) return room
  const left = room - (await openBytes(reader, workspace_id, upload))
  // Once the other uploads have taken the room, repeated blobs wait too: a thousand of them would fill the disk.
  if (left < 0) return received
  // Chunks may be those of a blob that the repository has. The commit, which knows the digest, decides about the room.
  const repeated =
    digest === undefined
      ? await largestLink(reader, id)
      : (await reader.get(linkCollection, linkId(id, digest)))?.value.size
  // The bytes of earlier calls are there; a call without further bytes may end the upload.
  return Math.max(left, repeated ?? 0, received)
}

function exceeded(quota: string, workspace: string, limit: number, requested: number): ApiError {
  const description = `takes at most ${limit} further bytes`
  return quotaExceeded(
    `${quota} ${description}`,
    {
      quota,
      limit: String(limit),
      usage: '0',
      requested: String(requested),
      scope_type: 'WORKSPACE',
      scope_id: workspace,
    },
    { quota: [{ subject: `WORKSPACE:${workspace}`, description }] },
  )
}

/** Runs a push, and records its refusal by a quota as an audit event (registry.md 1). */
export async function recordingQuotas<T>(
  { clock, store }: Pick<RegistryEnvironment, 'clock' | 'store'>,
  { context, repository }: PlaneCall,
  push: () => Promise<T>,
): Promise<T> {
  try {
    return await push()
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'QUOTA_EXCEEDED')
      await store.tx(tx =>
        recordAuditEvent(tx, clock, context, {
          action: 'QUOTA_DENIED',
          outcome: 'DENIED',
          reason: error.reason,
          workspace: repository.value.workspace_id,
          repository: repository.value,
        }),
      )
    throw error
  }
}
