import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { StorageClassInput } from '../../../../output/storage/types.ts'
import { addMember, addTenant, roleAt, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let platform: TestPlatform
let api: Ninefold
let tenant: Tenant

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const engine = 'native'

const create = (name: string, more: Partial<StorageClassInput> = {}) =>
  api.storage.createStorageClass({ engine, body: { name, tier: 'STORAGE_TIER_COLD', ...more } })

describe('the first start', () => {
  it('creates a default class with an instance that is ready for buckets', async () => {
    const { storage_classes } = await api.storage.listStorageClasses({ engine })
    expect(storage_classes).toMatchObject([
      {
        name: 'standard',
        engine,
        state: 'STORAGE_CLASS_STATE_ACTIVE',
        tier: 'STORAGE_TIER_HOT',
        is_default: true,
        regions: ['local1'],
        native: { sync_mode: 'STORAGE_SYNC_MODE_FULL', min_free_bytes: 1_073_741_824 },
        bucket_count: 0,
      },
    ])
    expect(storage_classes[0]).not.toHaveProperty('default_of')
    const read = async () => (await api.storage.listStorageClassInstances({ storage_class: 'standard' })).instances
    await expect.poll(async () => (await read())[0]?.last_check_time).toBeDefined()
    const [instance] = await read()
    expect(instance).toMatchObject({
      name: 'standard-local',
      storage_class: 'standard',
      location: 'local',
      region: 'local1',
      state: 'STORAGE_CLASS_INSTANCE_STATE_READY',
      bucket_count: 0,
      conditions: [
        { type: 'Writable', status: 'True' },
        { type: 'HasFreeSpace', status: 'True' },
      ],
    })
    expect(instance?.available_bytes).toBeGreaterThan(0)
    expect(instance).not.toHaveProperty('storage_class_id')
    expect(JSON.stringify(instance)).not.toContain(platform.config.dataDir)
  })
})

describe('a storage class', () => {
  it('is created, read by id and by name, listed, changed and deleted', async () => {
    const operation = await create('cold', { min_storage_duration: '60s' })
    expect(operation).toMatchObject({
      resource_type: 'storage.storageClasses',
      status: 'STORAGE_OPERATION_STATUS_DONE',
      scope_type: 'STORAGE_SCOPE_TYPE_PLATFORM',
      scope_id: '',
    })
    const { resource_id: id } = operation
    const found = await api.storage.getStorageClass({ engine, id: 'cold' })
    expect(await api.storage.getStorageClass({ engine, id })).toEqual(found)
    expect(found).toMatchObject({ id, regions: [], is_default: false, native: { min_free_bytes: 1_073_741_824 } })
    const { storage_classes } = await api.storage.listStorageClasses({ engine, filter: 'name=cold' })
    expect(storage_classes).toEqual([found])
    const body = { native: { sync_mode: 'STORAGE_SYNC_MODE_DATA' as const } }
    await api.storage.updateStorageClass({ engine, id: 'cold', update_mask: 'native.sync_mode', body })
    expect((await api.storage.getStorageClass({ engine, id })).native).toEqual({
      sync_mode: 'STORAGE_SYNC_MODE_DATA',
      min_free_bytes: 1_073_741_824,
    })
    await api.storage.updateStorageClass({ engine, id, update_mask: 'native', body: {} })
    expect((await api.storage.getStorageClass({ engine, id })).native?.sync_mode).toBe('STORAGE_SYNC_MODE_FULL')
    await api.storage.deleteStorageClass({ engine, id: 'cold' })
    await expect(api.storage.getStorageClass({ engine, id: 'cold' })).rejects.toMatchObject({
      reason: 'STORAGE_CLASS_NOT_FOUND',
      rpc: 'NOT_FOUND',
      code: 6_005_001,
    })
  })

  it('is deleted once by a repeated call with its name', async () => {
    await create('repeated')
    const call = { engine, id: 'repeated', 'Idempotency-Key': 'once' }
    const first = await api.storage.deleteStorageClass(call)
    expect(await api.storage.deleteStorageClass(call)).toEqual(first)
  })

  it('has a name of its own in its engine', async () => {
    await create('twice')
    await expect(create('twice')).rejects.toMatchObject({
      reason: 'STORAGE_CLASS_ALREADY_EXISTS',
      rpc: 'ALREADY_EXISTS',
      code: 6_005_005,
      details: { resource: { type: 'storage.storageClasses' } },
    })
  })

  it('is the default class only while no other class is', async () => {
    const refused = {
      reason: 'STORAGE_CLASS_DEFAULT_CONFLICT',
      rpc: 'ALREADY_EXISTS',
      code: 6_005_003,
      details: { resource: { type: 'storage.storageClasses' } },
    }
    await expect(create('second', { is_default: true })).rejects.toMatchObject(refused)
    await create('second')
    const set = (id: string, is_default: boolean) =>
      api.storage.updateStorageClass({ engine, id, update_mask: 'is_default', body: { is_default } })
    await expect(set('second', true)).rejects.toMatchObject(refused)
    await set('standard', false)
    const body = { name: 'placeless' }
    await expect(api.storage.createBucket({ workspace: tenant.workspace, engine, body })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'storage_class' }] },
    })
    await set('second', true)
    await set('second', false)
    await set('standard', true)
  })

  it.each<readonly [string, Partial<StorageClassInput>]>([
    [
      's3',
      {
        s3: {
          endpoint: 'https://s3.example',
          region: 'a',
          credentials_secret_id: '0199c5ad-0e1f-7b2c-9d3e-4f5061728394',
        },
      },
    ],
    ['multi_region', { multi_region: 'all' }],
  ])('of the native engine has no %s', async (field, body) => {
    await expect(create('formed', body)).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field }] },
    })
  })

  it('with a bucket is not deleted', async () => {
    await create('used')
    await api.storage.instantiateStorageClass({ storage_class: 'used', body: { name: 'a', location: 'local' } })
    await expect
      .poll(async () => (await api.storage.getStorageClass({ engine, id: 'used' })).regions)
      .toEqual(['local1'])
    const at = { workspace: tenant.workspace, engine }
    const { resource_id: id } = await api.storage.createBucket({ ...at, body: { name: 'held', storage_class: 'used' } })
    expect(await api.storage.getStorageClass({ engine, id: 'used' })).toMatchObject({ bucket_count: 1 })
    expect((await api.storage.listStorageClassInstances({ storage_class: 'used' })).instances).toMatchObject([
      { bucket_count: 1 },
    ])
    await expect(api.storage.deleteStorageClass({ engine, id: 'used' })).rejects.toMatchObject({
      reason: 'STORAGE_CLASS_IN_USE',
      rpc: 'FAILED_PRECONDITION',
      code: 6_005_002,
      details: { precondition: [{ type: 'storage.buckets', description: '1 left' }] },
    })
    await api.storage.deleteBucket({ ...at, id })
    await api.storage.deleteStorageClass({ engine, id: 'used' })
  })

  it('takes no new bucket while it is DEPRECATED', async () => {
    const set = (state: NonNullable<StorageClassInput['state']>) =>
      api.storage.updateStorageClass({ engine, id: 'standard', update_mask: 'state', body: { state } })
    await set('STORAGE_CLASS_STATE_DEPRECATED')
    const body = { name: 'late' }
    await expect(api.storage.createBucket({ workspace: tenant.workspace, engine, body })).rejects.toMatchObject({
      reason: 'NO_READY_INSTANCE',
    })
    await set('STORAGE_CLASS_STATE_ACTIVE')
  })

  it('is read by any principal, and its instances and changes are for operators', async () => {
    const member = await addMember(platform, api, {
      email: 'viewer@acme.test',
      organisation_id: tenant.organisation,
      grants: [roleAt('workspace-editor', 'WORKSPACE', tenant.workspace)],
    })
    const { storage } = member.api
    expect((await storage.listStorageClasses({ engine })).storage_classes.length).toBeGreaterThan(0)
    expect(await storage.getStorageClass({ engine, id: 'standard' })).toMatchObject({ name: 'standard' })
    const refused = { reason: 'IAM_PERMISSION_DENIED' }
    const storage_class = 'standard'
    await expect(storage.listStorageClassInstances({ storage_class })).rejects.toMatchObject(refused)
    await expect(
      storage.instantiateStorageClass({ storage_class, body: { name: 'a', location: 'local' } }),
    ).rejects.toMatchObject(refused)
    await expect(storage.deleteStorageClass({ engine, id: 'standard' })).rejects.toMatchObject(refused)
  })
})
