import { createHash, randomUUID } from 'node:crypto'
import { storageClassProbeFailed } from '../../../output/storage/errors.ts'
import type { S3ClassSettings, StorageCapability } from '../../../output/storage/types.ts'
import { isFault, RemoteFault } from '../remote-store/remote-fault.ts'
import type { RemoteStore } from '../remote-store/remote-store.ts'

/** The capabilities without which a store keeps no buckets. */
const needed: readonly StorageCapability[] = ['STORAGE_CAPABILITY_RANGE', 'STORAGE_CAPABILITY_MULTIPART']

/** What the names of the buckets of probes have after the prefix of their class. */
export const probeMark = 'probe-'

const object = 'probe'
const body = 'ninefold'
const sha256Of = (text: string): string => createHash('sha256').update(text).digest('base64')

/** A capability that a store may have. */
type Capability = Exclude<StorageCapability, 'STORAGE_CAPABILITY_UNSPECIFIED'>

/** Checks one capability in a bucket; a `RemoteFault` and the result false mean that the store lacks it. */
type Check = (store: RemoteStore, bucket: string) => Promise<boolean>

const checks: Readonly<Record<Capability, Check>> = {
  STORAGE_CAPABILITY_RANGE: async (store, bucket) => (await store.range({ bucket, object }, 1, 3)) === body.slice(1, 4),
  async STORAGE_CAPABILITY_MULTIPART(store, bucket) {
    const at = { bucket, object: `${object}-parts` }
    const content = {
      contentType: 'text/plain',
      contentEncoding: '',
      contentDisposition: '',
      contentLanguage: '',
      cacheControl: '',
      metadata: {},
    }
    const uploadId = await store.beginUpload(bucket, at.object, content)
    const etag = await store.putPart(at, uploadId, 1, body)
    let isListed = false
    for await (const part of store.parts(at, uploadId)) isListed ||= part.number === 1 && part.etag === etag
    const parts = [{ number: 1, etag, sha256: '' }]
    await store.completeUpload({ ...at, uploadId, parts, sha256: '', ifNoneMatch: false })
    return isListed && (await store.read(at)).size === body.length
  },
  async STORAGE_CAPABILITY_CONDITIONAL_PUT(store, bucket) {
    return isRefused(store.put({ bucket, object, body, ifNoneMatch: true }), 'precondition')
  },
  async STORAGE_CAPABILITY_CHECKSUM_SHA256(store, bucket) {
    const at = { bucket, object: `${object}-sum` }
    await store.put({ ...at, body, sha256: sha256Of(body) })
    return isRefused(store.put({ ...at, body, sha256: sha256Of('other') }))
  },
  async STORAGE_CAPABILITY_CORS(store, bucket) {
    const rule = {
      allowed_origins: ['https://example.com'],
      allowed_methods: ['GET' as const],
      allowed_headers: [],
      expose_headers: [],
      max_age_seconds: 60,
    }
    await store.setCorsRules(bucket, [rule])
    const isSet = (await store.corsRules(bucket)).length === 1
    await store.setCorsRules(bucket, [])
    return isSet
  },
  async STORAGE_CAPABILITY_VERSIONING(store, bucket) {
    await store.setVersioning(bucket, 'Enabled')
    if ((await store.versioning(bucket)) !== 'Enabled') return false
    const at = { bucket, object: `${object}-version` }
    await store.put({ ...at, body })
    await store.put({ ...at, body })
    const { versions } = await store.versions(bucket, { prefix: at.object, delimiter: '', size: 10 })
    return versions.length === 2
  },
}

/**
 * Finds out what a store can do, in a bucket that is deleted at the end. Throws STORAGE_CLASS_PROBE_FAILED for a store
 * that does not answer, refuses the credentials, or lacks a capability without which it keeps no buckets.
 */
export async function probe(store: RemoteStore, { bucket_prefix }: S3ClassSettings): Promise<StorageCapability[]> {
  const bucket = `${bucket_prefix}${probeMark}${randomUUID()}`
  try {
    await store.createBucket(bucket)
    await store.put({ bucket, object, body })
  } catch (error) {
    await removeProbe(store, bucket)
    throw probeFault(error)
  }
  try {
    const found: StorageCapability[] = []
    for (const [capability, check] of checksInOrder()) if (await isThere(check, store, bucket)) found.push(capability)
    const missing = needed.filter(capability => !found.includes(capability))
    if (missing.length > 0) throw lacking(missing)
    return found
  } finally {
    await removeProbe(store, bucket)
  }
}

const isCapability = (name: string): name is Capability => Object.hasOwn(checks, name)

/** Returns the checks in their order: versioning comes last, because it cannot be disabled again. */
const checksInOrder = (): readonly (readonly [Capability, Check])[] =>
  Object.keys(checks)
    .filter(isCapability)
    .map(name => [name, checks[name]])

async function isThere(check: Check, store: RemoteStore, bucket: string): Promise<boolean> {
  try {
    return await check(store, bucket)
  } catch (error) {
    if (error instanceof RemoteFault) return false
    throw error
  }
}

/** Whether a store refuses a request, with a fault of one of these kinds if any are given. */
async function isRefused(request: Promise<unknown>, kind?: RemoteFault['kind']): Promise<boolean> {
  try {
    await request
    return false
  } catch (error) {
    if (error instanceof RemoteFault) return kind === undefined || error.kind === kind
    throw error
  }
}

/** Deletes the bucket of a probe as far as the store permits. A bucket that is left holds no content of users. */
export async function removeProbe(store: RemoteStore, bucket: string): Promise<void> {
  try {
    const list = { prefix: '', delimiter: '', size: 100 }
    const isVersioned = (await store.versioning(bucket).catch(() => undefined)) !== undefined
    const { versions } = isVersioned ? await store.versions(bucket, list) : await store.objects(bucket, list)
    for (const { name, versionId } of versions)
      await store.remove({ bucket, object: name, ...(isVersioned && { versionId }) })
    for await (const { object: name, uploadId } of store.uploads(bucket))
      await store.abortUpload({ bucket, object: name }, uploadId)
    await store.deleteBucket(bucket)
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
  }
}

function probeFault(error: unknown): unknown {
  if (!(error instanceof RemoteFault)) return error
  const type = isFault(error, 'refused') ? 'CREDENTIALS' : 'ENDPOINT'
  return storageClassProbeFailed(`the probe of the S3 store failed: ${error.message}`, {
    precondition: [{ type, subject: 's3', description: error.message }],
  })
}

const lacking = (missing: readonly StorageCapability[]) =>
  storageClassProbeFailed(`the S3 store lacks ${missing.join(' and ')}`, {
    precondition: missing.map(capability => ({ type: 'CAPABILITY', subject: capability, description: 'is needed' })),
  })
