import { describe, expect, it } from 'vitest'
import type { BucketInput, LifecycleConditionInput, LifecycleRuleInput } from '../../../../output/storage/types.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { ruledStorage, type RuledStorage } from './ruled-storage.ts'

const [deletion, noncurrent, abort] = [
  'STORAGE_LIFECYCLE_ACTION_DELETE',
  'STORAGE_LIFECYCLE_ACTION_DELETE_NONCURRENT',
  'STORAGE_LIFECYCLE_ACTION_ABORT_INCOMPLETE_MULTIPART_UPLOAD',
] as const

const rule = (action: LifecycleRuleInput['action'], condition: LifecycleConditionInput): LifecycleRuleInput => ({
  id: 'rule',
  action,
  condition,
})

/** Uploads objects one after the other; the content of the n-th upload has n bytes. */
async function fill({ put }: RuledStorage, names: readonly string[]): Promise<void> {
  for (const [i, name] of names.entries()) expect((await put(name, 'x'.repeat(i + 1))).status).toBe(200)
}

interface Case {
  readonly name: string
  readonly rules: readonly LifecycleRuleInput[]
  readonly bucket?: Partial<BucketInput>
  readonly put: readonly string[]
  readonly deleted?: readonly string[]
  /** The days by which objects are older. */
  readonly ages?: Readonly<Record<string, number>>
  readonly left: readonly string[]
}

const enabled = { versioning: 'STORAGE_VERSIONING_ENABLED' } as const
const retained = { retention_policy: { retention_period: '3456000s' } }

const cases: readonly Case[] = [
  {
    name: 'DELETE removes objects of an age, with their prefix',
    rules: [rule(deletion, { age_days: 30, prefix: 'tmp/' })],
    put: ['tmp/old', 'tmp/young', 'kept/old', 'tmp'],
    ages: { 'tmp/old': 30, 'kept/old': 90, tmp: 90, 'tmp/young': 29.9 },
    left: ['kept/old 3', 'tmp 4', 'tmp/young 2'],
  },
  {
    name: 'DELETE puts a marker on objects of a versioned bucket',
    rules: [rule(deletion, { age_days: 1 })],
    bucket: enabled,
    put: ['a', 'a', 'b'],
    ages: { a: 1 },
    left: ['a marker', 'a 2', 'a 1', 'b 3'],
  },
  {
    name: 'DELETE removes a marker that hides nothing',
    rules: [rule(noncurrent, { noncurrent_age_days: 0, prefix: 'a' }), { ...rule(deletion, { age_days: 0 }), id: 'd' }],
    bucket: enabled,
    put: ['a', 'b'],
    deleted: ['a', 'b'],
    left: ['b marker', 'b 2'],
  },
  {
    name: 'DELETE keeps protected objects',
    rules: [rule(deletion, { age_days: 1 })],
    bucket: retained,
    put: ['protected', 'free'],
    ages: { protected: 39, free: 40 },
    left: ['protected 1'],
  },
  {
    name: 'DELETE puts markers on protected versions, which stay',
    rules: [rule(deletion, { age_days: 1 })],
    bucket: { ...enabled, ...retained },
    put: ['a'],
    ages: { a: 1 },
    left: ['a marker', 'a 1'],
  },
  {
    name: 'DELETE with a member that no latest version has removes nothing',
    rules: [
      rule(deletion, { age_days: 0, num_newer_versions: 1 }),
      { ...rule(deletion, { age_days: 0, noncurrent_age_days: 0 }), id: 'other' },
    ],
    bucket: enabled,
    put: ['a', 'a'],
    left: ['a 2', 'a 1'],
  },
  {
    name: 'DELETE_NONCURRENT keeps a number of newer versions, of which markers are none',
    rules: [rule(noncurrent, { num_newer_versions: 2 })],
    bucket: enabled,
    put: ['a', 'a', 'a', 'a', 'b', 'b', 'c'],
    deleted: ['b'],
    left: ['a 4', 'a 3', 'b marker', 'b 6', 'b 5', 'c 7'],
  },
  {
    name: 'DELETE_NONCURRENT counts the age since a version ceased to be the latest',
    rules: [rule(noncurrent, { noncurrent_age_days: 3 })],
    bucket: enabled,
    put: ['a', 'a', 'b', 'b'],
    ages: { a: 3, b: 2 },
    left: ['a 2', 'b 4', 'b 3'],
  },
  {
    name: 'DELETE_NONCURRENT needs all members of its condition',
    rules: [rule(noncurrent, { age_days: 5, noncurrent_age_days: 3, num_newer_versions: 2, prefix: 'x/' })],
    bucket: enabled,
    put: ['x/a', 'x/a', 'x/a', 'x/b', 'x/b', 'x/b', 'y', 'y', 'y'],
    ages: { 'x/a': 5, 'x/b': 4, y: 9 },
    left: ['x/a 3', 'x/a 2', 'x/b 6', 'x/b 5', 'x/b 4', 'y 9', 'y 8', 'y 7'],
  },
  {
    name: 'DELETE_NONCURRENT keeps protected versions',
    rules: [rule(noncurrent, { num_newer_versions: 1 })],
    bucket: { ...enabled, ...retained },
    put: ['protected', 'protected', 'free', 'free'],
    ages: { protected: 39, free: 41 },
    left: ['free 4', 'protected 2', 'protected 1'],
  },
]

describe('a lifecycle rule', () => {
  it.each(cases)('$name', async ({ ages = {}, bucket, deleted = [], left, put, rules }) => {
    const tenant = await ruledStorage(rules, bucket)
    const { admin, at, lifecycle, platform } = tenant
    await fill(tenant, put)
    for (const object of deleted) await admin.api.storage.deleteObject({ ...at, object })
    for (const [object, days] of Object.entries(ages)) await tenant.age(object, days)
    await lifecycle.run()
    expect(platform.lines.filter(line => line.includes('work of storage failed'))).toEqual([])
    expect(await tenant.left()).toEqual(left)
    await lifecycle.run()
    expect(await tenant.left()).toEqual(left)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('ends uploads of an age, also uploads that began before the rule', async () => {
    const tenant = await ruledStorage([])
    const { admin, at, lifecycle } = tenant
    const { storage } = admin.api
    for (const object of ['tmp/old', 'tmp/young', 'kept'])
      await storage.createMultipartUpload({ ...at, body: { object } })
    await tenant.age('tmp/old', 2)
    await tenant.age('kept', 2)
    const lifecycle_rules = [
      rule(abort, { age_days: 2, prefix: 'tmp/' }),
      { ...rule(abort, { age_days: 0, num_newer_versions: 1 }), id: 'never' },
    ]
    await storage.updateBucket({ ...at, id: at.bucket, update_mask: 'lifecycle_rules', body: { lifecycle_rules } })
    await lifecycle.run()
    const { multipart_uploads } = await storage.listMultipartUploads(at)
    expect(multipart_uploads.map(({ object }) => object).toSorted()).toEqual(['kept', 'tmp/young'])
    const ended = await storage.listMultipartUploads({
      ...at,
      filter: 'state = STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED',
    })
    expect(ended.multipart_uploads.map(({ object }) => object)).toEqual(['tmp/old'])
  })
})

it('an upload whose time is over is EXPIRED at once, before any worker runs', async () => {
  const tenant = await ruledStorage([rule(abort, { age_days: 0, prefix: 'tmp/' })])
  const { admin, at } = tenant
  const { storage } = admin.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'tmp/a' } })
  await storage.createMultipartUpload({ ...at, body: { object: 'b' } })
  const objects = async (filter?: string) =>
    (await storage.listMultipartUploads({ ...at, ...(filter !== undefined && { filter }) })).multipart_uploads.map(
      ({ object, state }) => `${object} ${state.replace('STORAGE_MULTIPART_UPLOAD_STATE_', '')}`,
    )
  expect(await objects()).toEqual(['b ACTIVE'])
  expect(await objects('object = "tmp/a"')).toEqual([])
  expect(await objects('state = STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED')).toEqual(['tmp/a EXPIRED'])
  expect(await objects(`id = "${upload_id}" AND state != STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE`)).toEqual([
    'tmp/a EXPIRED',
  ])
  const full = await storage.listMultipartUploads({ ...at, view: 'STORAGE_VIEW_FULL', filter: `id = "${upload_id}"` })
  expect(full.multipart_uploads).toMatchObject([{ state: 'STORAGE_MULTIPART_UPLOAD_STATE_EXPIRED', parts: [] }])
  const parts = [{ part_number: 1 }]
  await expect(storage.createPartUrls({ ...at, upload_id, body: { parts } })).rejects.toMatchObject({
    reason: 'UPLOAD_NOT_ACTIVE',
  })
  await expect(storage.abortMultipartUpload({ ...at, upload_id })).rejects.toMatchObject({ reason: 'UPLOAD_NOT_FOUND' })
})

describe('a run of lifecycle rules', () => {
  it('makes one operation and one activity with the number of removed things, if there are any', async () => {
    const tenant = await ruledStorage([
      rule(deletion, { age_days: 1, prefix: 'a' }),
      { ...rule(deletion, { age_days: 1, prefix: 'b' }), id: 'other' },
    ])
    const { at, lifecycle, platform } = tenant
    await lifecycle.run()
    expect(await tenant.operations()).toEqual([])
    const names = Array.from({ length: 7 }, (_, i) => `${i < 4 ? 'a' : 'b'}${i}`)
    await fill(tenant, names)
    for (const name of names) await tenant.age(name, 1)
    await lifecycle.run()
    await lifecycle.run()
    const [operation, ...others] = await tenant.operations()
    expect(others).toEqual([])
    expect(operation).toMatchObject({ status: 'STORAGE_OPERATION_STATUS_DONE', warnings: [] })
    const activities = await recordedActivities(platform.config)
    expect(activities.filter(({ operation_id }) => operation_id === operation?.id)).toEqual([
      expect.objectContaining({
        category: 'SYSTEM',
        action: 'storage.UPDATE',
        resource_type: 'storage.buckets',
        resource_id: at.bucket,
        changed_fields: ['usage'],
        count: 7,
      }),
    ])
    expect(await tenant.usage()).toMatchObject({ bytes: 0, object_count: 0, version_count: 0 })
  })

  it('removes more than a batch, and warns of objects that are younger than the class allows', async () => {
    const tenant = await ruledStorage([])
    const { admin, at, lifecycle, workspace } = tenant
    const { storage } = admin.api
    const engine = 'native'
    await storage.createStorageClass({
      engine,
      body: { name: 'cold', tier: 'STORAGE_TIER_COLD', min_storage_duration: '86400s' },
    })
    const made = await storage.instantiateStorageClass({
      storage_class: 'cold',
      body: { name: 'first', location: 'local' },
    })
    await storage.waitOperation(made)
    const body = { name: 'cold', storage_class: 'cold', lifecycle_rules: [rule(deletion, { age_days: 0 })] }
    const { resource_id: bucket } = await storage.createBucket({ workspace, engine, body })
    for (let i = 0; i < 120; i += 1) {
      const url = await storage.createPresignedUploadUrl({ ...at, bucket, body: { object: `o${i}` } })
      expect((await tenant.send(url, { body: 'x' })).status).toBe(200)
    }
    await lifecycle.run()
    expect(await storage.getBucket({ ...at, id: bucket })).toMatchObject({ usage: { version_count: 0, bytes: 0 } })
    const { operations } = await storage.listOperations({ filter: `resource_id = "${bucket}"` })
    const ended = operations.filter(({ trace_id }) => trace_id === '')
    expect(ended).toMatchObject([{ warnings: [{ code: 6_005_101 }] }])
  })

  it('waits while the workspace is suspended, as the end of uploads does, and goes on after that', async () => {
    const tenant = await ruledStorage([
      rule(deletion, { age_days: 0 }),
      { ...rule(abort, { age_days: 0, prefix: 'up' }), id: 'abort' },
    ])
    const { admin, at, lifecycle, workspace } = tenant
    const { storage, taxonomy } = admin.api
    const organisation = (await taxonomy.listOrganisations({ filter: 'name=acme' })).organisations[0]?.id ?? ''
    await fill(tenant, ['a'])
    await storage.createMultipartUpload({ ...at, body: { object: 'other' } })
    const of = { organisation, id: workspace, body: {} }
    await taxonomy.suspendWorkspace(of)
    await lifecycle.run()
    expect(await tenant.left()).toEqual(['a 1'])
    await taxonomy.resumeWorkspace(of)
    await lifecycle.run()
    expect(await tenant.left()).toEqual([])
  })

  it('leaves a bucket that is being deleted alone', async () => {
    const tenant = await ruledStorage([rule(deletion, { age_days: 0 })])
    const { admin, at, lifecycle } = tenant
    await fill(tenant, ['a'])
    const pending = await admin.api.storage.deleteBucket({ ...at, id: at.bucket, force: true })
    await lifecycle.run()
    expect(await admin.api.storage.waitOperation(pending)).toMatchObject({ errors: [] })
    await lifecycle.run()
  })
})
