import type { Sbom } from '../../../output/registry/types.ts'
import { ApiError } from '../../../runtime/errors.ts'
import { systemPrincipalId } from '../../ports/reserved.ts'
import type { Stored } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { artifactCollection, rowOf, type StoredArtifact } from '../artifacts/artifacts-store.ts'
import { deleteArtifact } from '../artifacts/delete-artifact.ts'
import { recordAuditEvent } from '../audit-events/record-event.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { parseManifest } from '../manifests/parse-manifest.ts'
import { requirePush } from '../plane/blob-upload.ts'
import { manifestActivity } from '../plane/push-activity.ts'
import { uploadLimit } from '../plane/push-limits.ts'
import { commitManifest } from '../plane/push-manifest.ts'
import { lockShrinkingRepository } from '../repositories/lock-repository.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { sbomFormat } from '../scanning/sbom.ts'
import { finishUpload } from '../uploads/finish-upload.ts'
import { digestOf, digestOfPieces, parseDigest } from '../values/digest.ts'
import { isInProgress } from './scan-rows.ts'
import { scanCollection, type StoredScan } from '../scan-results/scans-store.ts'
import { systemContext } from './system-context.ts'

/** The type of bills of materials, as artifacts and as blobs. */
const billType = 'application/vnd.cyclonedx+json'

const imageType = 'application/vnd.oci.image.manifest.v1+json'
const emptyType = 'application/vnd.oci.empty.v1+json'

/** Bytes in pieces. */
type Pieces = readonly Uint8Array<ArrayBuffer>[]

/** The number of components of a bill of materials, and its bytes in JSON. */
export interface Bill {
  readonly pieces: Pieces
  readonly componentCount: number
}

/**
 * Stores a bill of materials as an artifact that refers to the scanned one, by the push of the system principal. Returns
 * undefined if the repository refuses the push: by its quotas, its allowed kinds, or its end.
 */
export async function pushBill(
  environment: RegistryEnvironment,
  { digest: subject, manifest_size_bytes: size, media_type: mediaType, repository_id }: StoredArtifact,
  { componentCount, pieces }: Bill,
  signal: AbortSignal,
): Promise<Sbom | undefined> {
  const repository = await environment.store.get(repositoryCollection, repository_id)
  if (!repository) return undefined
  try {
    const config = await pushBlob(environment, repository, [new TextEncoder().encode('{}')])
    const layer = await pushBlob(environment, repository, pieces)
    const manifest = {
      schemaVersion: 2,
      mediaType: imageType,
      artifactType: billType,
      config: { mediaType: emptyType, ...config },
      layers: [{ mediaType: billType, ...layer }],
      subject: { mediaType, digest: subject, size },
    }
    const digest = await pushManifest(environment, repository.value, manifest, signal)
    return { format: sbomFormat, digest, component_count: componentCount }
  } catch (error) {
    if (error instanceof ApiError && error.rpc !== 'UNAVAILABLE') return undefined
    throw error
  }
}

async function pushManifest(
  environment: RegistryEnvironment,
  repository: StoredRepository,
  manifest: object,
  signal: AbortSignal,
): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(manifest))
  const digest = digestOf('sha256', bytes)
  const context = systemContext(environment.clock.now(), signal)
  await commitManifest(
    environment,
    { context, repository },
    {
      ...parseManifest(bytes, imageType),
      digest,
      bytes: bytes.length,
      tags: [],
      facts: {},
      principalId: systemPrincipalId,
    },
  )
  return digest
}

async function pushBlob(
  environment: RegistryEnvironment,
  repository: Stored<StoredRepository>,
  pieces: Pieces,
): Promise<{ readonly digest: string; readonly size: number }> {
  const { blobs, clock } = environment
  const size = pieces.reduce((sum, { length }) => sum + length, 0)
  const text = await digestOfPieces('sha256', pieces)
  const digest = parseDigest(text)
  if (digest === undefined) throw new Error('a digest cannot be parsed')
  const upload = clock.newId()
  const limit = await uploadLimit(environment, repository, {
    upload,
    received: 0,
    length: size,
    digest: text,
  })
  await blobs.append(upload, chunksOf(pieces), { algorithm: 'sha256', ...limit })
  const blob = { digest, repository: repository.value, now: clock.now(), requirePush }
  const result = await finishUpload(environment, { ...blob, upload, received: size })
  if (result !== 'stored') throw new Error(`the bytes of a bill of materials are lost: ${result}`)
  return { digest: text, size }
}

/** Yields pieces as the chunks of a body. Other work runs between two chunks. */
async function* chunksOf(pieces: Pieces): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const piece of pieces) {
    yield piece
    await nextTurn()
  }
}

/**
 * Deletes a bill of materials of an earlier result of a scan, unless a lock, an index or an immutable tag protects it, or
 * the scan has begun again.
 */
export async function deleteBill(
  environment: RegistryEnvironment,
  { id: scan, repository_id: id, workspace_id }: StoredScan,
  digest: string,
  signal: AbortSignal,
): Promise<void> {
  const { audit, clock, store, taxonomy } = environment
  const context = systemContext(clock.now(), signal)
  try {
    await store.tx(async tx => {
      const locked = await lockShrinkingRepository(tx, taxonomy, { id, workspace_id })
      const current = (await tx.get(scanCollection, scan))?.value
      if (current && (isInProgress(current) || current.result?.sbom?.digest === digest)) return
      const bill = locked && (await tx.get(artifactCollection, rowOf(locked.id, digest)))?.value
      if (!locked || bill?.pushed_by_principal_id !== systemPrincipalId) return
      await deleteArtifact(environment, tx, locked, bill, context.now)
      const about = { workspace: locked.value.workspace_id, repository: locked.value, digest }
      await recordAuditEvent(tx, clock, context, { action: 'DELETE', ...about })
      await audit.recordActivity(tx, manifestActivity(context, locked.value, digest, 'deleteManifest'))
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.rpc === 'UNAVAILABLE') throw error
  }
}
