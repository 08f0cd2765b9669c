import { beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../../../server/areas.ts'
import { storageArea } from '../../../../server/storage/area.ts'
import { hostCalls } from '../../../../server/storage/files/file-calls.ts'
import { openS3Store } from '../../../../server/storage/s3/s3-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { faultyFront, storeFaults, type FaultyFront } from './faulty-front.ts'
import { hasGateway, startGateway } from './gateway.ts'
import { get, put, remoteStorage, type BucketAt, type RemoteStorage } from './remote-storage.ts'

let front: FaultyFront
let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  const gateway = await startGateway(afterTests)
  front = await faultyFront(gateway.url, afterTests)
  const own = storageArea(hostCalls, (place, credentials) => openS3Store(place, credentials, times))
  const mounted = areas.map(area => (area.domain.name === 'storage' ? own : area))
  remote = await remoteStorage(front.url, { later: afterTests, areas: mounted })
}, 120_000)

/** Shorter times than those of the platform, so that a slow store does not make the test long. */
const times = { connectionMs: 3000, answerMs: 1000, bodyMs: 3000, patienceMs: 3000 }

/** Returns the calls that ask a store, by their names. */
function callsOn(at: BucketAt, upload_id: string): Readonly<Record<string, () => Promise<unknown>>> {
  const { storage } = api()
  const [{ workspace, engine, bucket: id }, object] = [at, 'kept']
  const copy = { source_object: object, destination_object: 'copy' }
  const parts = [{ part_number: 1, etag: '5d41402abc4b2a76b9719d911017c592' }]
  return {
    createBucket: () => storage.createBucket({ workspace, engine, body: { name: 'new' } }),
    deleteBucket: () => storage.deleteBucket({ workspace, engine, id }),
    listObjects: () => storage.listObjects(at),
    getObject: () => storage.getObject({ ...at, object }),
    getObjectMetadata: () => storage.getObjectMetadata({ ...at, object }),
    deleteObject: () => storage.deleteObject({ ...at, object }),
    copyObject: () => storage.copyObject({ ...at, body: copy }),
    createMultipartUpload: () => storage.createMultipartUpload({ ...at, body: { object: 'film' } }),
    completeMultipartUpload: () => storage.completeMultipartUpload({ ...at, upload_id, body: { parts } }),
    abortMultipartUpload: () => storage.abortMultipartUpload({ ...at, upload_id }),
  }
}

/** Calls everything at once; returns the reasons of the refusals, keyed by the names of the calls. */
async function reasonsOf(calls: Readonly<Record<string, () => Promise<unknown>>>): Promise<Record<string, string>> {
  const asked = Object.entries(calls).map(async ([name, call]) => {
    const reason = await call().then(
      () => 'was served',
      (error: { readonly reason?: string }) => error.reason ?? String(error),
    )
    return [name, reason] as const
  })
  return Object.fromEntries(await Promise.all(asked))
}

describe.skipIf(!hasGateway)('calls on', { timeout: 180_000 }, () => {
  it.each(Object.entries(storeFaults))('%s are unavailable within a bound, and lose nothing', async (name, fault) => {
    const at = await remote.bucket(`bucket-${Object.keys(storeFaults).indexOf(name)}`)
    await put(api(), at, 'kept', 'hello')
    const { resource_id: upload_id } = await api().storage.createMultipartUpload({ ...at, body: { object: 'film' } })
    const calls = callsOn(at, upload_id)
    front.answer(fault)
    const reasons = await reasonsOf(calls)
    front.answer(undefined)
    const expected = Object.fromEntries(Object.keys(calls).map(each => [each, 'ENGINE_UNAVAILABLE']))
    expect(reasons).toEqual(expected)
    expect((await api().storage.listObjects(at)).objects.map(({ name: object }) => object)).toEqual(['kept'])
    expect(await (await get(api(), at, 'kept')).text()).toBe('hello')
    await api().storage.abortMultipartUpload({ ...at, upload_id })
    await api().storage.deleteObject({ ...at, object: 'kept' })
    await api().storage.deleteBucket({ ...at, id: at.bucket })
    const { workspace, engine } = at
    await expect
      .poll(async () => (await api().storage.listBuckets({ workspace, engine })).buckets, { timeout: 60_000 })
      .toEqual([])
    expect(await doctorFindings(remote.platform.config)).toEqual([])
  })
})
