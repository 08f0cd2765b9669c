import { describe, expect, it, onTestFinished } from 'vitest'
import { BucketReads, type ReadRows } from '../../../../domain/storage/buckets/bucket-reads.ts'
import { versionCollection, versionField } from '../../../../domain/storage/objects/versions-store.ts'
import { taxonomyFunctions } from '../../../../domain/taxonomy/functions.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { firstRows } from '../../../../server/store/row-filters.ts'
import { absentId } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage } from '../tenant-storage.ts'

/** Opens another store on the place of a platform with a bucket, and returns reads of the rows of the bucket. */
async function opened() {
  const tenant = await tenantStorage({ quota_objects: 10 })
  const store = await openBeside(tenant.platform.config, storeCollections(areas))
  onTestFinished(() => store.close())
  const reads = new BucketReads({ store, taxonomy: taxonomyFunctions })
  /** The quotas with which the rows were read. */
  const seen: number[] = []
  const quotaAtRead: ReadRows<number> = async ({ id, quota_objects: quota }, witness) => {
    seen.push(quota)
    const query = firstRows(1, undefined, versionField)
    const { witnessed } = await store.list(versionCollection, query, { bucket_id: id }, { witness })
    return { answer: quota, version: witnessed }
  }
  const { at, admin } = tenant
  const change = (quota_objects: number) =>
    admin.api.storage.updateBucket({ ...at, id: at.bucket, update_mask: 'quota_objects', body: { quota_objects } })
  return { ...tenant, seen, change, read: (path = at) => reads.read(path, quotaAtRead) }
}

describe('a read of the rows of a bucket', () => {
  it.each([
    ['with an object', 1],
    ['without objects', 0],
  ])('sees each change of the bucket %s by another server', async (_, objects) => {
    const { change, put, read, seen } = await opened()
    if (objects > 0) await put('object', 'content')
    expect(await read()).toBe(10)
    expect(await read()).toBe(10)
    await change(20)
    expect(await read()).toBe(20)
    expect(await read()).toBe(20)
    // The read that met the change was repeated with the changed bucket.
    expect(seen).toEqual([10, 10, 10, 20, 20])
  })

  it('finds a cached bucket neither in another workspace nor after its deletion', async () => {
    const { at, admin, read } = await opened()
    await read()
    await expect(read({ ...at, workspace: absentId })).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_FOUND' })
    await expect(read({ ...at, engine: 'other' })).rejects.toMatchObject({ reason: 'BUCKET_NOT_FOUND' })
    await admin.api.storage.deleteBucket({ ...at, id: at.bucket })
    await expect(read()).rejects.toMatchObject({ reason: 'BUCKET_NOT_FOUND' })
  })
})
