import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CopyObjectBodyInput } from '../../../../output/storage/types.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway, type Gateway } from './gateway.ts'
import {
  classBody,
  get,
  put,
  remoteNameOf,
  remoteStorage,
  type BucketAt,
  type RemoteStorage,
} from './remote-storage.ts'

let remote: RemoteStorage
let other: Gateway
let near: BucketAt
let far: BucketAt
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  const gateway = await startGateway(afterTests)
  other = await startGateway(afterTests)
  remote = await remoteStorage(gateway.url, { later: afterTests })
  const body = { ...classBody('other', other.url, remote.secret), is_default: false }
  await api().storage.createStorageClass({ engine: 's3', body })
  near = await remote.bucket('near')
  far = await remote.bucket('far', { storage_class: 'other' })
}, 120_000)

/** Copies an object of the near bucket to the far bucket; returns the ended operation. */
async function copied(source_object: string, destination_object: string, more: Partial<CopyObjectBodyInput> = {}) {
  const body = { source_bucket_id: near.bucket, source_object, destination_object, ...more }
  const operation = await api().storage.copyObject({ ...far, body })
  expect(operation.status).toBe('STORAGE_OPERATION_STATUS_PENDING')
  return api().storage.waitOperation(operation)
}

describe.skipIf(!hasGateway)('a copy between two S3 stores', { timeout: 120_000 }, () => {
  it.each([
    ['no byte', 0],
    ['some bytes', 1000],
    ['two parts', 9 * 2 ** 20],
  ])('has the bytes and the metadata of its source: %s', async (name, size) => {
    const content = new Uint8Array(randomBytes(size))
    const custom_metadata = { colour: 'red' }
    const facts = { content_type: 'text/css', cache_control: 'no-cache', custom_metadata }
    expect((await put(api(), near, name, content, facts)).status).toBe(200)
    expect(await copied(name, `copy of ${name}`)).toMatchObject({
      status: 'STORAGE_OPERATION_STATUS_DONE',
      resource_id: `${far.bucket}/copy of ${name}`,
    })
    expect(await api().storage.getObjectMetadata({ ...far, object: `copy of ${name}` })).toMatchObject({
      size,
      ...facts,
    })
    const bytes = Buffer.from(await (await get(api(), far, `copy of ${name}`)).arrayBuffer())
    expect(bytes.equals(content)).toBe(true)
    const left: string[] = []
    for await (const { object } of other.account.uploads(remoteNameOf(far))) left.push(object)
    expect(left).toEqual([])
  })

  it('has other metadata, and never replaces an object that it must keep', async () => {
    await put(api(), near, 'source', 'hello')
    const metadata_directive = 'STORAGE_METADATA_DIRECTIVE_REPLACE' as const
    await copied('source', 'target', { metadata_directive, content_type: 'text/plain' })
    expect(await api().storage.getObject({ ...far, object: 'target' })).toMatchObject({ content_type: 'text/plain' })
    await expect(copied('source', 'target', { if_none_match: '*' })).rejects.toMatchObject({
      reason: 'OBJECT_ALREADY_EXISTS',
    })
    await expect(copied('absent', 'target')).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    await expect(copied('source', 'target', { source_if_match: '"other"' })).rejects.toMatchObject({
      reason: 'SOURCE_PRECONDITION_FAILED',
    })
  })

  it('goes on once a store answers that was away', async () => {
    const content = new Uint8Array(randomBytes(9 * 2 ** 20))
    await put(api(), near, 'patient', content)
    const body = { source_bucket_id: near.bucket, source_object: 'patient', destination_object: 'patient' }
    const operation = await api().storage.copyObject({ ...far, body })
    other.signal('SIGKILL')
    await other.restart()
    expect(await api().storage.waitOperation(operation)).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE' })
    const bytes = Buffer.from(await (await get(api(), far, 'patient')).arrayBuffer())
    expect(bytes.equals(content)).toBe(true)
    expect(await doctorFindings(remote.platform.config)).toEqual([])
  })

  it('is refused between the native engine and an S3 store', async () => {
    const { workspace } = near
    const native = await api().storage.createBucket({ workspace, engine: 'native', body: { name: 'native' } })
    const body = { source_bucket_id: native.resource_id, source_object: 'a', destination_object: 'b' }
    await expect(api().storage.copyObject({ ...far, body })).rejects.toMatchObject({
      reason: 'ENGINE_CAPABILITY_UNSUPPORTED',
      metadata: { capability: 'COPY_BETWEEN_ENGINES' },
    })
  })
})
