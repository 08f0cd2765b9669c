import { expect, it } from 'vitest'
import { bucketCollection } from '../../../domain/storage/buckets/buckets-store.ts'
import { contentCollection } from '../../../domain/storage/contents/contents-store.ts'
import { versionCollection } from '../../../domain/storage/objects/versions-store.ts'
import { isEnded } from '../../../runtime/operations.ts'
import { areas } from '../../../server/areas.ts'
import { storeCollections } from '../../../server/platform-store.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { openBeside } from '../../server/store/left-place.ts'
import { tenantStorage } from './tenant-storage.ts'

async function archived() {
  const tenant = await tenantStorage({ retention_policy: { retention_period: '3600s' } })
  const { admin, put, workspace } = tenant
  const { storage, taxonomy } = admin.api
  const organisation = (await taxonomy.listOrganisations({ filter: 'name=acme' })).organisations[0]?.id ?? ''
  await put('a', 'hello')
  const of = { organisation, id: workspace, body: {} }
  const archive = () => taxonomy.archiveWorkspace(of)
  const restore = () => taxonomy.restoreWorkspace(of)
  const remove = (force: boolean) => taxonomy.deleteWorkspace({ organisation, id: workspace, force })
  return { ...tenant, archive, organisation, remove, restore, storage, taxonomy }
}

it('a workspace with buckets is not empty, a protected version protects it, and its purge deletes all rows', async () => {
  const { archive, at, platform, remove, restore, storage, taxonomy, workspace } = await archived()
  await archive()
  await expect(remove(false)).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_EMPTY',
    details: {
      precondition: expect.arrayContaining([
        expect.objectContaining({ type: 'storage.buckets' }),
        expect.objectContaining({ type: 'storage.objects' }),
      ]),
    },
  })
  await expect(remove(true)).rejects.toMatchObject({ reason: 'WORKSPACE_PROTECTED' })
  await restore()
  await storage.updateBucket({ ...at, id: at.bucket, update_mask: 'retention_policy', body: {} })
  await archive()
  const deleted = await remove(true)
  await expect.poll(async () => isEnded(await taxonomy.getOperation(deleted)), { timeout: 30_000 }).toBe(true)
  expect(await taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  const store = await openBeside(platform.config, storeCollections(areas))
  expect([
    await store.count(bucketCollection, { workspace_id: workspace }),
    await store.count(versionCollection, { workspace_id: workspace }),
    await store.sum(contentCollection, 'references'),
  ]).toEqual([0, 0, 0])
  await store.close()
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a bucket with a locked policy protects its workspace while the bucket has a version', async () => {
  const { archive, at, remove, storage } = await archived()
  const locked = { retention_policy: { retention_period: '3600s', is_locked: true } }
  await storage.updateBucket({ ...at, id: at.bucket, update_mask: 'retention_policy', body: locked })
  await archive()
  await expect(remove(true)).rejects.toMatchObject({
    reason: 'WORKSPACE_PROTECTED',
    details: { precondition: expect.arrayContaining([expect.objectContaining({ subject: at.bucket })]) },
  })
})

it('a suspended workspace shows its buckets, and refuses their changes', async () => {
  const { at, organisation, storage, taxonomy, workspace } = await archived()
  await taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
  const path = { ...at, id: at.bucket }
  expect(await storage.getBucket(path)).toMatchObject({ name: 'docs' })
  const refused = { reason: 'WORKSPACE_NOT_ACTIVE', code: 6_000_004 }
  await expect(storage.createBucket({ ...at, body: { name: 'second' } })).rejects.toMatchObject(refused)
  await expect(storage.updateBucket({ ...path, body: { name: 'docs' } })).rejects.toMatchObject(refused)
  await expect(storage.deleteBucket({ ...path, force: true })).rejects.toMatchObject(refused)
})
