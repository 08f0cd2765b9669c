import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addTenant } from '../../../areas/members.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { afterTests } from '../../../undo.ts'
import { hasGateway, startGateway, type Gateway } from './gateway.ts'
import { put, remoteNameOf, remoteStorage, type RemoteStorage } from './remote-storage.ts'

let gateway: Gateway
let remote: RemoteStorage
const api = () => remote.admin.api

beforeAll(async () => {
  if (!hasGateway) return
  gateway = await startGateway(afterTests)
  remote = await remoteStorage(gateway.url, { later: afterTests })
}, 120_000)

const names = async (): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const { name } of gateway.account.buckets()) found.push(name)
  return found
}

describe.skipIf(!hasGateway)('buckets on an S3 store', { timeout: 60_000 }, () => {
  it('are made in the store, named by their ids, and gone there after their deletion', async () => {
    const at = await remote.bucket('made')
    expect(await names()).toContain(remoteNameOf(at))
    const bucket = await api().storage.getBucket({ ...at, id: at.bucket })
    expect(bucket).toMatchObject({ engine: 's3', storage_class: 'remote', region: 'local1', instance_id: '' })
    await api().storage.deleteBucket({ ...at, id: at.bucket })
    await expect.poll(names, { timeout: 60_000 }).not.toContain(remoteNameOf(at))
    const read = () => api().storage.getBucket({ ...at, id: at.bucket })
    await expect
      .poll(() => read().catch((error: { reason?: string }) => error.reason), { timeout: 60_000 })
      .toBe('BUCKET_NOT_FOUND')
  })

  it('are refused before anything is made in the store', async () => {
    await remote.bucket('taken')
    const before = await names()
    const at = { workspace: remote.workspace, engine: 's3' }
    const create = (body: object) => api().storage.createBucket({ ...at, body: { name: 'refused', ...body } })
    await expect(create({ name: 'taken' })).rejects.toMatchObject({ reason: 'BUCKET_ALREADY_EXISTS' })
    await expect(create({ storage_class: 'none' })).rejects.toMatchObject({ reason: 'STORAGE_CLASS_NOT_FOUND' })
    await expect(create({ region: 'nowhere' })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    for (const [field, value] of Object.entries({
      quota_bytes: 5,
      quota_objects: 5,
      max_object_size_bytes: 5,
      retention_policy: { retention_period: '60s' },
    }))
      await expect(create({ [field]: value })).rejects.toMatchObject({
        reason: 'ENGINE_CAPABILITY_UNSUPPORTED',
        metadata: { capability: field },
      })
    expect(await names()).toEqual(before)
  })

  it('get their settings in the store, and keep them after changes', async () => {
    const rule = { allowed_origins: ['https://example.com'], allowed_methods: ['GET' as const] }
    const at = await remote.bucket('settings', { versioning: 'STORAGE_VERSIONING_ENABLED', cors_rules: [rule] })
    const name = remoteNameOf(at)
    expect(await gateway.account.versioning(name)).toBe('Enabled')
    expect(await gateway.account.corsRules(name)).toHaveLength(1)
    const body = { versioning: 'STORAGE_VERSIONING_SUSPENDED' as const, cors_rules: [] }
    await api().storage.updateBucket({ ...at, id: at.bucket, update_mask: 'versioning,cors_rules', body })
    expect(await gateway.account.versioning(name)).toBe('Suspended')
    expect(await gateway.account.corsRules(name)).toEqual([])
    const disabled = { versioning: 'STORAGE_VERSIONING_DISABLED' as const }
    await expect(
      api().storage.updateBucket({ ...at, id: at.bucket, update_mask: 'versioning', body: disabled }),
    ).rejects.toMatchObject({ reason: 'VERSIONING_TRANSITION_INVALID' })
  })

  it('are not deleted with content, unless the content is deleted too', async () => {
    const at = await remote.bucket('full', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    await put(api(), at, 'a', 'first')
    await put(api(), at, 'a', 'second')
    await api().storage.createMultipartUpload({ ...at, body: { object: 'b' } })
    await expect(api().storage.deleteBucket({ ...at, id: at.bucket })).rejects.toMatchObject({
      reason: 'BUCKET_NOT_EMPTY',
      details: { precondition: [{ description: '2 versions left' }, { description: '1 active uploads left' }] },
    })
    expect((await api().storage.getBucket({ ...at, id: at.bucket })).state).toBe('STORAGE_BUCKET_STATE_ACTIVE')
    await api().storage.deleteBucket({ ...at, id: at.bucket, force: true })
    await expect.poll(names, { timeout: 60_000 }).not.toContain(remoteNameOf(at))
  })

  it('go with their workspace', async () => {
    const { organisation, workspace } = await addTenant(api(), 'leaving')
    const { resource_id } = await api().storage.createBucket({ workspace, engine: 's3', body: { name: 'docs' } })
    const at = { workspace, engine: 's3', bucket: resource_id }
    await put(api(), at, 'a', 'hello')
    const node = { organisation, id: workspace }
    await api().taxonomy.waitOperation(await api().taxonomy.archiveWorkspace({ ...node, body: {} }))
    await api().taxonomy.deleteWorkspace({ ...node, force: true })
    await expect.poll(names, { timeout: 60_000 }).not.toContain(remoteNameOf(at))
  })

  it('leave nothing for the doctor to find', async () => {
    const platform = await remoteStorage(gateway.url, { later: onTestFinished })
    const at = await platform.bucket('docs')
    await put(platform.admin.api, at, 'a', 'hello')
    await platform.admin.api.storage.createMultipartUpload({ ...at, body: { object: 'b' } })
    expect(await doctorFindings(platform.platform.config)).toEqual([])
  })
})
