import type { CallContext } from '../../../runtime/context.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { putArtifact } from '../artifacts/put-artifact.ts'
import type { PushedManifest } from '../artifacts/new-artifact.ts'
import { referenceFaults, type ReferenceFaults } from '../artifacts/push-rules.ts'
import { decide } from '../access/decide.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { imageFacts, maxConfigBytes, type ImageFacts } from '../manifests/image-config.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { ManifestFault, parseManifest, type ParsedManifest } from '../manifests/parse-manifest.ts'
import { lockRepository, unlessDeleting } from '../repositories/lock-repository.ts'
import { repositoryCollection, type StoredRepository } from '../repositories/repositories-store.ts'
import { digestOf, digestText, parseDigest } from '../values/digest.ts'
import { isTag } from '../values/names.ts'
import { requirePush } from './blob-upload.ts'
import { denied, ociError } from './oci-errors.ts'
import { allowedCall, digestHeader, type Body, type PlaneCall, type PlaneReply } from './plane-call.ts'
import { manifestActivity } from './push-activity.ts'
import { recordingQuotas, requirePushable } from './push-limits.ts'
import { blobIn, openBlob, requireDigest } from './read-blob.ts'

/** The largest number of tags of one push. */
const maxTags = 32

/** The request of a push of a manifest. */
export interface PushManifestRequest {
  readonly reference: string
  readonly tag?: readonly string[]
  readonly 'content-type'?: string
  readonly body?: Body
}

/** Pushes a manifest, and sets its tags (end-7). */
export async function pushManifest(
  environment: RegistryEnvironment,
  request: PushManifestRequest,
  context: CallContext,
): Promise<PlaneReply> {
  const call = allowedCall(context)
  requirePushable(call.repository.value)
  const { digest: expected, tags } = target(request)
  const place = call.repository.value
  const question = { context: call.context, place, action: 'PUSH', tags } as const
  if (tags.length > 0 && !(await decide(environment, environment.store, question))) throw denied()
  const bytes = new Uint8Array(await new Response(request.body ?? null).arrayBuffer())
  const parsed = parse(bytes, request['content-type'])
  const digest = digestOf(expected?.algorithm ?? 'sha256', bytes)
  if (expected && digestText(expected) !== digest)
    throw ociError('DIGEST_INVALID', 'the manifest that arrived has another digest')
  const facts = await factsOf(environment, call, parsed.manifest)
  const principalId = call.context.principal?.id
  const pushed = { ...parsed, digest, bytes: bytes.length, tags, facts, principalId }
  await recordingQuotas(environment, call, () =>
    commitManifest(environment, { context: call.context, repository: place }, pushed),
  )
  const { subject } = parsed.manifest
  return {
    status: 201,
    headers: {
      location: `/v2/${call.name}/manifests/${digest}`,
      [digestHeader]: digest,
      ...(subject && { 'oci-subject': subject.digest }),
      ...(expected && tags.length > 0 && { 'oci-tag': tags.join(', ') }),
    },
  }
}

/** Returns the digest that the path names, and the tags: the tag in the path, or those of the parameters `tag`. */
function target({ reference, tag = [] }: PushManifestRequest) {
  const digest = reference.includes(':') ? parseDigest(requireDigest(reference)) : undefined
  const tags = [...new Set(digest ? tag : [reference, ...tag])]
  if (tags.length > maxTags) throw ociError('MANIFEST_INVALID', `a push sets at most ${maxTags} tags`)
  if (!tags.every(isTag)) throw ociError('MANIFEST_INVALID', 'a tag has letters, digits, ".", "_" and "-", at most 128')
  return { digest, tags }
}

function parse(bytes: Uint8Array, contentType: string | undefined): ParsedManifest {
  try {
    return parseManifest(bytes, contentType)
  } catch (error) {
    if (error instanceof ManifestFault) throw ociError('MANIFEST_INVALID', error.message)
    throw error
  }
}

/** Returns what the config of an image says. */
async function factsOf(
  environment: RegistryEnvironment,
  { repository }: PlaneCall,
  { config, kind }: Manifest,
): Promise<ImageFacts> {
  if (kind !== 'IMAGE' || !config || config.size === 0 || config.size > maxConfigBytes) return {}
  const blob = await blobIn(environment, repository.id, config.digest).catch(() => undefined)
  if (blob?.size !== config.size) return {}
  const opened = await openBlob(environment, repository.id, blob)
  return imageFacts(new Uint8Array(await new Response(opened.stream(0, blob.size - 1)).arrayBuffer()))
}

/**
 * Commits the push of a manifest. Throws the errors of `putArtifact`, and those of absent blobs. What the manifest names
 * is looked up twice: first outside of the transaction, so that a manifest with thousands of absent digests delays no
 * other write, and again in the transaction, which alone decides that all is there.
 */
export async function commitManifest(
  environment: RegistryEnvironment,
  { context, repository }: { readonly context: CallContext; readonly repository: StoredRepository },
  pushed: PushedManifest,
): Promise<void> {
  const { audit, store, taxonomy } = environment
  const faults = await referenceFaults(store, repository.id, pushed.manifest, nextTurn)
  // The deletion of a repository takes its content first.
  if (faults.missing.length > 0)
    requirePush(unlessDeleting(await store.get(repositoryCollection, repository.id))?.value)
  refuse(faults)
  await store.tx(async tx => {
    const locked = await lockRepository(tx, taxonomy, repository)
    requirePush(locked?.value)
    if (!locked) return
    await putArtifact(environment, tx, locked, pushed, { context, refuse })
    await audit.recordActivity(tx, manifestActivity(context, locked.value, pushed.digest, 'pushManifest'))
  })
}

/** Throws MANIFEST_BLOB_UNKNOWN or MANIFEST_INVALID, with the first digests. */
function refuse({ missing, missized }: ReferenceFaults): void {
  if (missing.length > 0)
    throw ociError('MANIFEST_BLOB_UNKNOWN', 'the repository lacks what the manifest names; push that first', {
      detail: { digests: missing.slice(0, 20) },
    })
  if (missized.length > 0)
    throw ociError('MANIFEST_INVALID', 'the manifest says another size of what the repository has', {
      detail: { digests: missized.slice(0, 20) },
    })
}
