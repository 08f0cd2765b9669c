import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Ninefold } from '../../../output/client.ts'
import type { BucketInput, CreatePresignedUploadUrlBodyInput, PresignedUrl } from '../../../output/storage/types.ts'
import { absentId } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { Refusal, testErrors, type RaisedErrors } from '../../areas/raised-errors.ts'
import { tenantStorage, type TenantStorage } from './tenant-storage.ts'

const undo: (() => void | Promise<void>)[] = []
let tenant: TenantStorage
let storage: Ninefold['storage']
const refusal = new Refusal()
let names = 0

beforeAll(async () => {
  tenant = await tenantStorage({}, { later: each => void undo.push(each) })
  const { admin, platform } = tenant
  const send = platform.from('192.0.2.8')
  storage = new Ninefold(platform.transport(admin.token, { retries: 0, fetch: refusal.kept(send) })).storage
})

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
})

const engine = 'native'

const inWorkspace = () => ({ workspace: tenant.workspace, engine })

/** Creates a bucket with a name of its own; returns the members of the paths below the bucket. */
async function fresh(body: Partial<BucketInput> = {}) {
  names += 1
  const made = await storage.createBucket({ ...inWorkspace(), body: { name: `docs-${names}`, ...body } })
  return { ...inWorkspace(), bucket: made.resource_id }
}

type Part = { readonly part_number: number; readonly etag: string }

type Place = Awaited<ReturnType<typeof fresh>>

/** Sends a body over a presigned URL, and keeps the refusal. */
async function send(url: PresignedUrl, body: string): Promise<Response> {
  const answer = await tenant.send(url, { body })
  if (!answer.ok) refusal.status = await answer.clone().json()
  return answer
}

const put = async (at: Place, object: string, body: string, more: Partial<CreatePresignedUploadUrlBodyInput> = {}) =>
  send(await storage.createPresignedUploadUrl({ ...at, body: { object, ...more } }), body)

/** Begins an upload with two parts of a few bytes; returns its path, and the parts of a completion. */
async function smallParts() {
  const at = await fresh()
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'a' } })
  const numbers = [{ part_number: 1 }, { part_number: 2 }]
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: numbers } })
  const parts: Part[] = []
  for (const url of part_urls) {
    const answer = await send(url, `part ${url.part_number}`)
    parts.push({ part_number: url.part_number, etag: answer.headers.get('etag') ?? '' })
  }
  return { at: { ...at, upload_id }, parts }
}

/** Completes an upload with other parts than were uploaded. */
async function complete(change: (parts: readonly Part[]) => readonly Part[]) {
  const { at, parts } = await smallParts()
  return storage.completeMultipartUpload({ ...at, body: { parts: [...change(parts)] } })
}

/** The calls that are refused, keyed by the reason of the refusal. */
const raised: RaisedErrors['raised'] = {
  ENGINE_NOT_FOUND: () => storage.listBuckets({ workspace: tenant.workspace, engine: 'absent' }),
  ETAG_MISMATCH: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    return storage.deleteObject({ ...at, object: 'a', etag: 'other' })
  },
  QUOTA_EXCEEDED: async () => put(await fresh({ quota_bytes: 3 }), 'a', 'hello'),
  WORKSPACE_NOT_FOUND: () => storage.listBuckets({ workspace: absentId, engine }),
  ROUTE_NOT_FOUND: async () => {
    refusal.status = await (await tenant.platform.from('192.0.2.8')(`${baseUrl}/storage/v1/absent`)).json()
  },
  FIELD_INVALID: () => fresh({ quota_bytes: -1 }),
  FIELD_IMMUTABLE: async () => {
    const { bucket: id } = await fresh()
    const body = { storage_class: 'other' }
    return storage.updateBucket({ ...inWorkspace(), id, update_mask: 'storage_class', body })
  },
  UPDATE_MASK_INVALID: async () => {
    const { bucket: id } = await fresh()
    return storage.updateBucket({ ...inWorkspace(), id, update_mask: 'absent', body: {} })
  },
  FILTER_INVALID: () => storage.listBuckets({ ...inWorkspace(), filter: 'absent = 1' }),
  ORDER_BY_INVALID: () => storage.listBuckets({ ...inWorkspace(), order_by: 'absent' }),
  PAGE_TOKEN_INVALID: () => storage.listBuckets({ ...inWorkspace(), page_token: 'absent' }),
  IDEMPOTENCY_KEY_REUSED: async () => {
    const options = { idempotencyKey: 'of-a-test' }
    await storage.createBucket({ ...inWorkspace(), body: { name: 'key-one' } }, options)
    return storage.createBucket({ ...inWorkspace(), body: { name: 'key-two' } }, options)
  },
  OPERATION_NOT_FOUND: () => storage.getOperation({ id: absentId }),
  FILTER_SCHEMA_NOT_FOUND: () => storage.getFilterSchema({ resource: 'absent' }),
  BUCKET_NOT_FOUND: () => storage.getBucket({ ...inWorkspace(), id: absentId }),
  BUCKET_ALREADY_EXISTS: () => fresh({ name: 'docs' }),
  BUCKET_NOT_EMPTY: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    return storage.deleteBucket({ ...inWorkspace(), id: at.bucket })
  },
  VERSIONING_TRANSITION_INVALID: async () => {
    const { bucket: id } = await fresh({ versioning: 'STORAGE_VERSIONING_ENABLED' })
    const body = { versioning: 'STORAGE_VERSIONING_DISABLED' } as const
    return storage.updateBucket({ ...inWorkspace(), id, update_mask: 'versioning', body })
  },
  RETENTION_POLICY_LOCKED: async () => {
    const { bucket: id } = await fresh({ retention_policy: { retention_period: '60s', is_locked: true } })
    const body = { retention_policy: { retention_period: '1s', is_locked: true } }
    return storage.updateBucket({ ...inWorkspace(), id, update_mask: 'retention_policy', body })
  },
  NO_READY_INSTANCE: async () => {
    await storage.createStorageClass({ engine, body: { name: 'empty', tier: 'STORAGE_TIER_COLD' } })
    return fresh({ storage_class: 'empty', region: 'local1' })
  },
  OBJECT_NOT_FOUND: async () => storage.getObject({ ...(await fresh()), object: 'absent' }),
  OBJECT_VERSION_NOT_FOUND: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    return storage.getObject({ ...at, object: 'a', version_id: absentId })
  },
  OBJECT_NAME_INVALID: async () => put(await fresh(), 'a/../b', 'hello'),
  OBJECT_RETAINED: async () => {
    const at = await fresh({ retention_policy: { retention_period: '3600s' } })
    await put(at, 'a', 'hello')
    return storage.deleteObject({ ...at, object: 'a' })
  },
  OBJECT_ALREADY_EXISTS: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    return put(at, 'a', 'again', { if_none_match: '*' })
  },
  COPY_ONTO_ITSELF: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    return storage.copyObject({ ...at, body: { source_object: 'a', destination_object: 'a' } })
  },
  SOURCE_PRECONDITION_FAILED: async () => {
    const at = await fresh()
    await put(at, 'a', 'hello')
    const body = { source_object: 'a', destination_object: 'b', source_if_match: '0'.repeat(32) }
    return storage.copyObject({ ...at, body })
  },
  METADATA_TOO_LARGE: async () => put(await fresh(), 'a', 'x', { custom_metadata: { key: 'v'.repeat(2048) } }),
  OBJECT_TOO_LARGE: async () => put(await fresh({ max_object_size_bytes: 3 }), 'a', 'hello'),
  UPLOAD_NOT_FOUND: async () => storage.abortMultipartUpload({ ...(await fresh()), upload_id: absentId }),
  UPLOAD_NOT_ACTIVE: async () => {
    const { at, parts } = await smallParts()
    await storage.abortMultipartUpload(at)
    return storage.completeMultipartUpload({ ...at, body: { parts } })
  },
  PART_MISSING: () => complete(all => all.map(part => ({ ...part, part_number: part.part_number + 7 }))),
  PART_ETAG_MISMATCH: () => complete(all => all.map(part => ({ ...part, etag: '0'.repeat(32) }))),
  PARTS_NOT_ASCENDING: () => complete(all => all.toReversed()),
  PART_TOO_SMALL: () => complete(all => all),
  CHECKSUM_MISMATCH: async () => put(await fresh(), 'a', 'hello', { checksum_sha256: `${'A'.repeat(43)}=` }),
  SIGNATURE_INVALID: async () => {
    const url = await storage.createPresignedUploadUrl({ ...(await fresh()), body: { object: 'a' } })
    return send({ ...url, url: url.url.replace(/X-Amz-Signature=./, 'X-Amz-Signature=x') }, 'hello')
  },
  CONTENT_TOO_LONG: async () => put(await fresh(), 'a', 'hello', { max_content_length: 3 }),
  STORAGE_CLASS_NOT_FOUND: () => storage.getStorageClass({ engine, id: 'absent' }),
  STORAGE_CLASS_IN_USE: () => storage.deleteStorageClass({ engine, id: 'standard' }),
  STORAGE_CLASS_DEFAULT_CONFLICT: () =>
    storage.createStorageClass({ engine, body: { name: 'second', tier: 'STORAGE_TIER_HOT', is_default: true } }),
  STORAGE_CLASS_ALREADY_EXISTS: () =>
    storage.createStorageClass({ engine, body: { name: 'standard', tier: 'STORAGE_TIER_HOT' } }),
  INSTANCE_NOT_FOUND: () => storage.getStorageClassInstance({ storage_class: 'standard', id: absentId }),
  INSTANCE_ALREADY_EXISTS: () =>
    storage.instantiateStorageClass({
      storage_class: 'standard',
      body: { name: 'standard-local', location: 'local' },
    }),
  STAT_UNKNOWN: () => storage.aggregateBucketStats({ ...inWorkspace(), stats: ['absent'] }),
  METRIC_RANGE_TOO_LARGE: () =>
    storage.getBucketMetricHistory({
      ...inWorkspace(),
      stat: 'bucket_count',
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2021-01-01T00:00:00Z',
      interval: '60s',
    }),
}

const elsewhere: RaisedErrors['elsewhere'] = {
  ENGINE_UNAVAILABLE: 'test/domain/storage/plane/file-faults.test.ts',
  WORKSPACE_NOT_ACTIVE: 'test/domain/storage/workspaces.test.ts',
  BUCKET_IN_USE: 'test/domain/storage/buckets/delete-content.test.ts',
  STORAGE_CAPACITY_EXHAUSTED: 'test/domain/storage/plane/file-faults.test.ts',
  PRESIGNED_URL_EXPIRED: 'test/domain/storage/plane/one-store/signing-times.test.ts',
  SIGNER_REVOKED: 'test/domain/storage/plane/rights.test.ts',
  CONTENT_LENGTH_REQUIRED: 'test/domain/storage/plane/presigned-matrix.test.ts',
  INSTANCE_PROVISION_FAILED: 'test/domain/storage/instances/instances.test.ts',
  BUCKET_DELETING: 'test/domain/storage/plane/rights.test.ts',
}

const unraised: RaisedErrors['unraised'] = {
  ENGINE_CAPABILITY_UNSUPPORTED: 'the engine native has every capability; the engine s3 is not built',
  FILTER_UNSUPPORTED: 'the engine native filters by every declared field; the engine s3 is not built',
  STORAGE_CLASS_PROBE_FAILED: 'only the engine s3, which is not built, probes a class',
  RATE_LIMITED: 'the server raises it for every area alike',
  INTERNAL: 'a defect, which the server answers for every area alike',
  OPERATION_CANCELLED: 'no call of storage ends another operation',
  OPERATION_DEADLINE_EXCEEDED: 'the runner of operations raises it for every area alike',
  EARLY_DELETE: 'a warning; the next test has it',
}

describe('the errors of storage', () => {
  testErrors('storage', refusal, { elsewhere, raised, unraised })

  it('include a warning of an early deletion', async () => {
    const body = { name: 'cold', tier: 'STORAGE_TIER_COLD', min_storage_duration: '86400s' } as const
    await storage.createStorageClass({ engine, body })
    const made = await storage.instantiateStorageClass({
      storage_class: 'cold',
      body: { name: 'first', location: 'local' },
    })
    await storage.waitOperation(made)
    const at = await fresh({ storage_class: 'cold' })
    await put(at, 'a', 'hello')
    expect(await storage.deleteObject({ ...at, object: 'a' })).toMatchObject({ warnings: [{ code: 6_005_101 }] })
  })
})
