import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { BucketInput } from '../../../../output/storage/types.ts'
import { absentId, addTenant, type Tenant } from '../../../areas/members.ts'
import { addRegions } from '../../../areas/regions.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'

let api: Ninefold
let tenant: Tenant

beforeAll(async () => {
  const platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  tenant = await addTenant(api, 'acme')
})

const engine = 'native'
const at = () => ({ workspace: tenant.workspace, engine })

const create = (name: string, more: Partial<BucketInput> = {}) =>
  api.storage.createBucket({ ...at(), body: { name, ...more } })

const newBucket = async (name: string, more: Partial<BucketInput> = {}) => (await create(name, more)).resource_id

describe('a bucket', () => {
  it('is created in the default class, read, listed, changed and deleted', async () => {
    const operation = await create('docs')
    expect(operation).toMatchObject({
      resource_type: 'storage.buckets',
      operation_type: 'STORAGE_OPERATION_TYPE_CREATE',
      status: 'STORAGE_OPERATION_STATUS_DONE',
      scope_type: 'STORAGE_SCOPE_TYPE_WORKSPACE',
      scope_id: tenant.workspace,
    })
    const { resource_id: id } = operation
    const bucket = await api.storage.getBucket({ ...at(), id })
    const [instance] = (await api.storage.listStorageClassInstances({ storage_class: 'standard' })).instances
    expect(bucket).toMatchObject({
      id,
      workspace_id: tenant.workspace,
      engine,
      name: 'docs',
      state: 'STORAGE_BUCKET_STATE_ACTIVE',
      storage_class: 'standard',
      region: 'local1',
      multi_region: '',
      instance_id: instance?.id,
      versioning: 'STORAGE_VERSIONING_DISABLED',
      lifecycle_rules: [],
      cors_rules: [],
      quota_bytes: 0,
      quota_objects: 0,
      usage: { object_count: 0, version_count: 0, bytes: 0, noncurrent_bytes: 0, incomplete_upload_bytes: 0 },
    })
    expect(bucket).not.toHaveProperty('retention_policy')
    expect(bucket).not.toHaveProperty('commit_number')
    const { buckets } = await api.storage.listBuckets({ ...at(), filter: 'name="docs"' })
    expect(buckets).toEqual([bucket])
    await api.storage.updateBucket({
      ...at(),
      id,
      update_mask: 'display_name,labels',
      body: { display_name: 'Documents', labels: { team: 'editors' }, etag: bucket.etag },
    })
    const changed = await api.storage.getBucket({ ...at(), id })
    expect(changed).toMatchObject({ display_name: 'Documents', labels: { team: 'editors' } })
    expect(changed.etag).not.toBe(bucket.etag)
    await api.storage.deleteBucket({ ...at(), id, etag: changed.etag })
    await expect(api.storage.getBucket({ ...at(), id })).rejects.toMatchObject({ reason: 'BUCKET_NOT_FOUND' })
  })

  it('keeps its name alone in its workspace', async () => {
    await newBucket('alone')
    await expect(create('alone')).rejects.toMatchObject({
      reason: 'BUCKET_ALREADY_EXISTS',
      rpc: 'ALREADY_EXISTS',
      code: 6_001_002,
      details: { resource: { type: 'storage.buckets', name: 'alone' } },
    })
    const other = await addTenant(api, 'other')
    await api.storage.createBucket({ workspace: other.workspace, engine, body: { name: 'alone' } })
  })

  it('stays as it is when an update gives the values that it has', async () => {
    const id = await newBucket('same', {
      lifecycle_rules: [{ id: 'a', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 1 } }],
      cors_rules: [{ allowed_origins: ['https://a.example'], allowed_methods: ['GET'] }],
    })
    const before = await api.storage.getBucket({ ...at(), id })
    expect(before.lifecycle_rules).toEqual([
      { id: 'a', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 1, prefix: '' } },
    ])
    const { cors_rules, lifecycle_rules } = {
      lifecycle_rules: [{ id: 'a', action: 'STORAGE_LIFECYCLE_ACTION_DELETE', condition: { age_days: 1 } } as const],
      cors_rules: [{ allowed_origins: ['https://a.example'], allowed_methods: ['GET' as const] }],
    }
    await api.storage.updateBucket({
      ...at(),
      id,
      update_mask: 'lifecycle_rules,cors_rules',
      body: { cors_rules, lifecycle_rules },
    })
    expect(await api.storage.getBucket({ ...at(), id })).toEqual(before)
  })
})

describe('the place of a bucket', () => {
  it.each([
    ['an absent class', { storage_class: 'absent' }, 'STORAGE_CLASS_NOT_FOUND', 'storage_class'],
    ['an absent region', { region: 'nowhere' }, 'FIELD_INVALID', 'region'],
    ['an absent multi-region', { multi_region: 'nowhere' }, 'FIELD_INVALID', 'multi_region'],
  ])('is refused for %s', async (_, body, reason, field) => {
    await expect(create('placed', body)).rejects.toMatchObject({
      reason,
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field }] },
    })
  })

  it('is refused for a known multi-region, which the class does not offer', async () => {
    await addRegions(api, ['east'])
    await api.topology.createMultiRegion({ body: { name: 'all', regions: ['local1', 'east'] } })
    await expect(create('placed', { multi_region: 'all' })).rejects.toMatchObject({
      reason: 'NO_READY_INSTANCE',
      rpc: 'FAILED_PRECONDITION',
      code: 6_001_008,
      details: { precondition: [{ type: 'INSTANCE' }] },
    })
  })
})

describe('the form of a bucket', () => {
  const remove = 'STORAGE_LIFECYCLE_ACTION_DELETE'
  const rule = { id: 'a', action: remove, condition: { age_days: 1 } } as const
  it.each<readonly [string, Partial<BucketInput>, string]>([
    ['a region and a multi-region', { region: 'local1', multi_region: 'all' }, 'multi_region'],
    [
      'a retention of more than 100 years',
      { retention_policy: { retention_period: '3155760001s' } },
      'retention_policy.retention_period',
    ],
    ['two rules with one id', { lifecycle_rules: [rule, rule] }, 'lifecycle_rules[1].id'],
    [
      'a deletion without an age',
      { lifecycle_rules: [{ ...rule, condition: {} }] },
      'lifecycle_rules[0].condition.age_days',
    ],
    [
      'an abortion without an age',
      {
        lifecycle_rules: [
          { ...rule, action: 'STORAGE_LIFECYCLE_ACTION_ABORT_INCOMPLETE_MULTIPART_UPLOAD', condition: {} },
        ],
      },
      'lifecycle_rules[0].condition.age_days',
    ],
    [
      'a rule for older versions without a number or an age of its own',
      {
        lifecycle_rules: [
          { ...rule, action: 'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT', condition: { age_days: 1 } },
        ],
      },
      'lifecycle_rules[0].condition',
    ],
    [
      'an origin with two stars',
      { cors_rules: [{ allowed_origins: ['https://*.*'], allowed_methods: ['GET'] }] },
      'cors_rules[0].allowed_origins[0]',
    ],
  ])('excludes %s', async (_, body, field) => {
    await expect(create('formed', body)).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field }] },
    })
  })
})

describe('the versioning of a bucket', () => {
  const set = (id: string, versioning: NonNullable<BucketInput['versioning']>) =>
    api.storage.updateBucket({ ...at(), id, update_mask: 'versioning', body: { versioning } })

  it('is suspended, but never disabled, once it was enabled', async () => {
    const id = await newBucket('versioned', { versioning: 'STORAGE_VERSIONING_ENABLED' })
    const refused = {
      reason: 'VERSIONING_TRANSITION_INVALID',
      rpc: 'FAILED_PRECONDITION',
      code: 6_001_006,
      details: { precondition: [{ type: 'VERSIONING', subject: id }] },
    }
    await expect(set(id, 'STORAGE_VERSIONING_DISABLED')).rejects.toMatchObject(refused)
    await set(id, 'STORAGE_VERSIONING_SUSPENDED')
    await expect(set(id, 'STORAGE_VERSIONING_DISABLED')).rejects.toMatchObject(refused)
    await set(id, 'STORAGE_VERSIONING_ENABLED')
  })
})

describe('the retention policy of a bucket', () => {
  const set = (id: string, update_mask: string, body: object = {}) =>
    api.storage.updateBucket({ ...at(), id, update_mask, body })
  const policyOf = async (id: string) => (await api.storage.getBucket({ ...at(), id })).retention_policy

  it('has the time at which its period was set', async () => {
    const id = await newBucket('retained', { retention_policy: { retention_period: '60s' } })
    const first = await policyOf(id)
    expect(first).toMatchObject({ retention_period: '60s', is_locked: false })
    await set(id, 'retention_policy', { retention_policy: { retention_period: '60s', is_locked: true } })
    expect(await policyOf(id)).toEqual({ ...first, is_locked: true })
    await set(id, 'retention_policy', { retention_policy: { retention_period: '61s', is_locked: true } })
    const longer = await policyOf(id)
    expect(longer?.retention_period).toBe('61s')
    expect(Date.parse(longer?.effective_time ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.effective_time ?? ''))
  })

  it('is removed unless it is locked', async () => {
    const id = await newBucket('removed', { retention_policy: { retention_period: '60s' } })
    await set(id, 'retention_policy')
    expect(await policyOf(id)).toBeUndefined()
    await set(id, 'retention_policy', { retention_policy: { retention_period: '10s' } })
    expect(await policyOf(id)).toMatchObject({ retention_period: '10s', effective_time: expect.any(String) })
  })

  it.each<readonly [string, string, object]>([
    ['shortened', 'retention_policy', { retention_policy: { retention_period: '59.9s', is_locked: true } }],
    ['unlocked', 'retention_policy.is_locked', { retention_policy: { retention_period: '60s', is_locked: false } }],
    ['removed', 'retention_policy', {}],
    ['removed by an update of all members', '', { name: 'locked' }],
  ])('is never %s once it is locked', async (_, mask, body) => {
    const name = `locked-${mask.length}-${JSON.stringify(body).length}`
    const id = await newBucket(name, { retention_policy: { retention_period: '60s', is_locked: true } })
    const given = 'name' in body ? { name } : body
    await expect(set(id, mask, given)).rejects.toMatchObject({
      reason: 'RETENTION_POLICY_LOCKED',
      rpc: 'FAILED_PRECONDITION',
      code: 6_001_007,
      details: { precondition: [{ type: 'RETENTION_POLICY', subject: id }] },
    })
  })
})

it('an absent bucket is not found', async () => {
  await expect(api.storage.getBucket({ ...at(), id: absentId })).rejects.toMatchObject({
    reason: 'BUCKET_NOT_FOUND',
    rpc: 'NOT_FOUND',
    code: 6_001_001,
    details: { resource: { type: 'storage.buckets', name: absentId } },
  })
})
