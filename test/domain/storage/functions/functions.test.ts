import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CallContext } from '../../../../runtime/context.ts'
import type { ObjectPlace, Storage } from '../../../../domain/ports/storage.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { allOf } from '../../../all-of.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { functionCaller } from '../../../areas/function-caller.ts'
import { absentId, addMember, addTenant, roleAt } from '../../../areas/members.ts'
import { callContext } from '../../../call-context.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'

let tenant: TenantStorage
let storage: Storage
let place: ObjectPlace

/** Starts a platform with a bucket, and finds the functions of storage. */
async function begin(bucket: Parameters<typeof tenantStorage>[0] = {}): Promise<void> {
  const caller = functionCaller()
  tenant = await tenantStorage(bucket, { areas: caller.areas })
  storage = caller.functions('storage')
  place = { workspace: tenant.workspace, bucket: tenant.at.bucket, object: 'logs/1' }
}

async function* bytesOf(...texts: readonly string[]) {
  for (const text of texts) yield new TextEncoder().encode(text)
}

const put = (object: string, ...texts: readonly string[]) =>
  storage.putObject(undefined, { ...place, object }, bytesOf(...texts))

const textOf = async (object: string, range?: { readonly first: number; readonly last: number }) =>
  new Response((await storage.readObject(undefined, { ...place, object }, range)).body).text()

/** Returns the id of the organisation with the bucket. */
async function organisation(): Promise<string> {
  const { organisations } = await tenant.admin.api.taxonomy.listOrganisations({ filter: 'name = "acme"' })
  return organisations[0]?.id ?? ''
}

/** Returns the context of a call of a new user with a role in the workspace. */
async function callOf(role: string): Promise<CallContext> {
  const { admin, platform, workspace } = tenant
  const organisation_id = await organisation()
  const grants = [roleAt(role, 'WORKSPACE', workspace)]
  const email = `${role}@example.com`
  const { id } = await addMember(platform, admin.api, { email, organisation_id, grants })
  return callContext({ principal: { id, kind: 'user' }, now: Date.now() })
}

describe('the functions of storage', () => {
  beforeEach(() => begin())

  it('write, read and delete an object with exact usage, and record no operation and no activity', async () => {
    const { admin, usage } = tenant
    const before = [await recordedActivities(tenant.platform.config), await admin.api.storage.listOperations({})]
    const written = await put('logs/1', 'hel', 'lo')
    expect(written).toMatchObject({ size: 5, etag: '5d41402abc4b2a76b9719d911017c592' })
    expect(await usage()).toMatchObject({ bytes: 5, object_count: 1 })
    expect(await storage.statObject(undefined, place)).toEqual(written)
    expect(await textOf('logs/1')).toBe('hello')
    for (const [range, text] of [
      [{ first: 1, last: 2 }, 'el'],
      [{ first: 3, last: 80 }, 'lo'],
      [{ first: 9, last: 80 }, ''],
    ] as const)
      expect(await textOf('logs/1', range)).toBe(text)
    await put('logs/1', 'more than before')
    expect(await usage()).toMatchObject({ bytes: 16, object_count: 1, version_count: 1 })
    await storage.deleteObject(undefined, place)
    expect(await usage()).toMatchObject({ bytes: 0, object_count: 0 })
    await expect(storage.readObject(undefined, place)).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    const after = [await recordedActivities(tenant.platform.config), await admin.api.storage.listOperations({})]
    expect(after).toEqual(before)
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })

  it('write and read the same objects as signed URLs, also an empty object and a version', async () => {
    const { versionId } = await put('a', '')
    expect(await (await tenant.get('a')).text()).toBe('')
    expect(await textOf('a')).toBe('')
    await tenant.put('b', 'signed')
    expect(await textOf('b')).toBe('signed')
    await expect(storage.statObject(undefined, { ...place, object: 'b', versionId })).rejects.toMatchObject({
      reason: 'OBJECT_VERSION_NOT_FOUND',
    })
  })

  it('find no object in a bucket of another workspace', async () => {
    const other = await addTenant(tenant.admin.api, 'other')
    await put('logs/1', 'hello')
    const elsewhere = { ...place, workspace: other.workspace }
    const absent = { ...place, bucket: absentId }
    for (const wrong of [elsewhere, absent])
      for (const call of [
        () => storage.statObject(undefined, wrong),
        () => storage.readObject(undefined, wrong),
        () => storage.putObject(undefined, wrong, bytesOf('x')),
        () => storage.deleteObject(undefined, wrong),
      ])
        await expect(call()).rejects.toMatchObject({ reason: 'BUCKET_NOT_FOUND', code: 6_001_001 })
  })

  it('ask for the permission of their caller, and for the right to replace a version', async () => {
    const viewer = await callOf('workspace-viewer')
    await storage.putObject(undefined, place, bytesOf('hello'))
    expect(await storage.statObject(viewer, place)).toMatchObject({ size: 5 })
    const denied = [
      ['storage.objects.download', () => storage.readObject(viewer, place)],
      ['storage.objects.create', () => storage.putObject(viewer, place, bytesOf('x'))],
      ['storage.objects.delete', () => storage.deleteObject(viewer, place)],
    ] as const
    for (const [permission, call] of denied)
      await expect(call()).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED', metadata: { permission } })
    const admin = callContext({ principal: { id: tenant.admin.id, kind: 'user' }, now: Date.now() })
    await storage.putObject(admin, place, bytesOf('again'))
    expect(await tenant.admin.api.storage.getObject({ ...tenant.at, object: place.object })).toMatchObject({
      uploader_principal_id: tenant.admin.id,
    })
    await storage.deleteObject(admin, place)
  })

  it('refuse an invalid name, a taken name, and content of an inactive workspace', async () => {
    await put('a', 'x')
    await expect(put('../a', 'x')).rejects.toMatchObject({ reason: 'OBJECT_NAME_INVALID' })
    const again = storage.putObject(undefined, { ...place, object: 'a' }, bytesOf('y'), { ifNoneMatch: true })
    await expect(again).rejects.toMatchObject({ reason: 'OBJECT_ALREADY_EXISTS' })
    const { taxonomy } = tenant.admin.api
    await taxonomy.suspendWorkspace({ organisation: await organisation(), id: tenant.workspace, body: {} })
    expect(await storage.statObject(undefined, { ...place, object: 'a' })).toMatchObject({ size: 1 })
    for (const call of [
      () => textOf('a'),
      () => put('b', 'x'),
      () => storage.deleteObject(undefined, { ...place, object: 'a' }),
    ])
      await expect(call()).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_ACTIVE' })
  })

  it('open an object for ranges, with the digest of its bytes, and read it to the end although it is deleted', async () => {
    await put('a', '0123456789')
    for (const [first, last, text] of [
      [0, 9, '0123456789'],
      [2, 4, '234'],
    ] as const) {
      const opened = await storage.openObject(undefined, { ...place, object: 'a' })
      const sha256 = createHash('sha256').update('0123456789').digest('hex')
      expect(opened).toMatchObject({ size: 10, sha256 })
      if (last === 4) await storage.deleteObject(undefined, { ...place, object: 'a' })
      expect(await new Response(opened.stream(first, last)).text()).toBe(text)
    }
    await expect(storage.openObject(undefined, { ...place, object: 'a' })).rejects.toMatchObject({
      reason: 'OBJECT_NOT_FOUND',
    })
  })

  it('list the objects below a prefix in the order of their names, over several pages', async () => {
    const names = Array.from({ length: 101 }, (_, i) => `logs/${String(i).padStart(3, '0')}`)
    for (const name of ['log', 'logs0', ...names.toReversed()]) await put(name, name)
    const listed = await allOf(storage.listObjects(place, 'logs/'))
    expect(listed.map(({ object }) => object)).toEqual(names)
    expect(listed[0]).toEqual({
      object: 'logs/000',
      ...(await storage.statObject(undefined, { ...place, object: names[0] ?? '' })),
    })
    await expect(allOf(storage.listObjects({ ...place, bucket: absentId }, ''))).rejects.toMatchObject({
      reason: 'BUCKET_NOT_FOUND',
    })
  })

  it('write nothing if the content of their caller fails', async () => {
    async function* failing() {
      yield new TextEncoder().encode('half')
      throw new Error('the source is gone')
    }
    await expect(storage.putObject(undefined, place, failing())).rejects.toThrow('the source is gone')
    await expect(storage.statObject(undefined, place)).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
    expect(await tenant.usage()).toMatchObject({ bytes: 0, version_count: 0 })
  })

  it('keep a bucket from being deleted while another row uses the bucket', async () => {
    const { admin, at, platform } = tenant
    const store = await openBeside(platform.config, storeCollections(areas))
    const holder = { type: 'observability.logSinks', id: 'a-sink' }
    await store.tx(tx => storage.useBucket(tx, place, holder))
    for (const force of [false, true])
      await expect(admin.api.storage.deleteBucket({ ...at, id: at.bucket, force })).rejects.toMatchObject({
        reason: 'BUCKET_IN_USE',
      })
    const wrong = { workspace: absentId, bucket: at.bucket }
    await expect(store.tx(tx => storage.useBucket(tx, wrong, holder))).rejects.toMatchObject({
      reason: 'BUCKET_NOT_FOUND',
    })
    await store.close()
  })
})

it.each([
  ['the quota of the bucket', { quota_bytes: 8 }, 'QUOTA_EXCEEDED'],
  ['the largest object of the bucket', { max_object_size_bytes: 8 }, 'OBJECT_TOO_LARGE'],
])('an object of another area beyond %s is refused, and leaves nothing', async (_, bucket, reason) => {
  await begin(bucket)
  await put('a', 'hello')
  await expect(put('b', 'more ', 'than ', 'eight')).rejects.toMatchObject({ reason })
  expect(await tenant.usage()).toMatchObject({ bytes: 5, version_count: 1 })
  expect(await doctorFindings(tenant.platform.config)).toEqual([])
})

it('the retention of a bucket protects its versions from other areas', async () => {
  await begin({ retention_policy: { retention_period: '3600s' } })
  await put('a', 'hello')
  for (const call of [() => put('a', 'x'), () => storage.deleteObject(undefined, { ...place, object: 'a' })])
    await expect(call()).rejects.toMatchObject({ reason: 'OBJECT_RETAINED', code: 6_002_004 })
  expect(await textOf('a')).toBe('hello')
})

it('another area deletes an object of a versioned bucket by a marker, and a version for good', async () => {
  await begin({ versioning: 'STORAGE_VERSIONING_ENABLED' })
  const { versionId } = await put('a', 'one')
  await put('a', 'two')
  const at = { ...place, object: 'a' }
  await storage.deleteObject(undefined, at)
  await expect(storage.statObject(undefined, at)).rejects.toMatchObject({ reason: 'OBJECT_NOT_FOUND' })
  expect(await storage.statObject(undefined, { ...at, versionId })).toMatchObject({ size: 3 })
  await storage.deleteObject(undefined, { ...at, versionId })
  expect(await tenant.usage()).toMatchObject({ bytes: 3, version_count: 1, object_count: 0 })
})
