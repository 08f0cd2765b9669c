import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { storagePermissions } from '../../../output/storage/permissions.ts'
import { absentId, addMember, roleAt, type Member } from '../../areas/members.ts'
import { tenantStorage, type TenantStorage } from './tenant-storage.ts'

let tenant: TenantStorage
let organisation: string
let group: string
let members = 0
let ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  tenant = await tenantStorage({}, { later: end => void ends.push(end) })
  const { taxonomy } = tenant.admin.api
  organisation = (await taxonomy.listOrganisations({ filter: 'name=acme' })).organisations[0]?.id ?? ''
  group = (await taxonomy.listGroups({ organisation })).groups[0]?.id ?? ''
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

type Grant = ReturnType<typeof roleAt>

/** Invites a user with a role at a scope, or without a role. */
function member(...grants: readonly Grant[]): Promise<Member> {
  const isOfPlatform = grants.some(({ scope_type }) => scope_type === 'PLATFORM')
  return addMember(tenant.platform, tenant.admin.api, {
    email: `member-${(members += 1)}@acme.test`,
    ...(!isOfPlatform && { organisation_id: organisation }),
    grants: [...grants],
  })
}

/** Creates a role with exactly one permission; returns its id. */
async function roleOf(permission: string, scopeType: 'PLATFORM' | 'ORGANISATION'): Promise<string> {
  const scope = { scope_type: scopeType, scope_id: scopeType === 'PLATFORM' ? '' : organisation } as const
  const name = permission.replaceAll('.', '-').toLowerCase()
  const { resource_id } = await tenant.admin.api.iam.createRole({ body: { name, ...scope, permissions: [permission] } })
  return resource_id
}

type Call = (api: Ninefold, workspace: string) => Promise<unknown>

const at = (workspace: string) => ({ workspace, engine: 'native', bucket: absentId })
const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T01:00:00Z' }

/**
 * The calls of each operation that needs a permission, keyed by operation. They name buckets and classes that do not
 * exist, so an allowed call ends with another refusal or with an empty list.
 */
const calls: Readonly<Record<string, Call>> = {
  createBucket: ({ storage }, workspace) => storage.createBucket({ ...at(workspace), body: { name: '-' } }),
  deleteBucket: ({ storage }, workspace) => storage.deleteBucket({ ...at(workspace), id: absentId }),
  getBucket: ({ storage }, workspace) => storage.getBucket({ ...at(workspace), id: absentId }),
  aggregateBucketStats: ({ storage }, workspace) => storage.aggregateBucketStats(at(workspace)),
  getBucketMetricHistory: ({ storage }, workspace) =>
    storage.getBucketMetricHistory({ ...at(workspace), stat: 'bucket_count', ...times }),
  listBuckets: ({ storage }, workspace) => storage.listBuckets(at(workspace)),
  updateBucket: ({ storage }, workspace) => storage.updateBucket({ ...at(workspace), id: absentId, body: {} }),
  abortMultipartUpload: ({ storage }, workspace) =>
    storage.abortMultipartUpload({ ...at(workspace), upload_id: absentId }),
  completeMultipartUpload: ({ storage }, workspace) =>
    storage.completeMultipartUpload({
      ...at(workspace),
      upload_id: absentId,
      body: { parts: [{ part_number: 1, etag: 'x' }] },
    }),
  createMultipartUpload: ({ storage }, workspace) =>
    storage.createMultipartUpload({ ...at(workspace), body: { object: 'a' } }),
  createPartUrls: ({ storage }, workspace) =>
    storage.createPartUrls({ ...at(workspace), upload_id: absentId, body: { parts: [{ part_number: 1 }] } }),
  listMultipartUploads: ({ storage }, workspace) => storage.listMultipartUploads(at(workspace)),
  copyObject: ({ storage }, workspace) =>
    storage.copyObject({ ...at(workspace), body: { source_object: 'a', destination_object: 'b' } }),
  createPresignedUploadUrl: ({ storage }, workspace) =>
    storage.createPresignedUploadUrl({ ...at(workspace), body: { object: 'a', if_none_match: '*' } }),
  deleteObject: ({ storage }, workspace) => storage.deleteObject({ ...at(workspace), object: 'a' }),
  createPresignedDownloadUrl: ({ storage }, workspace) =>
    storage.createPresignedDownloadUrl({ ...at(workspace), body: { object: 'a' } }),
  getObject: ({ storage }, workspace) => storage.getObject({ ...at(workspace), object: 'a' }),
  getObjectMetadata: ({ storage }, workspace) => storage.getObjectMetadata({ ...at(workspace), object: 'a' }),
  listObjects: ({ storage }, workspace) => storage.listObjects(at(workspace)),
  getOperation: ({ storage }) => storage.getOperation({ id: absentId }),
  listOperations: ({ storage }) => storage.listOperations({}),
  listStatDescriptors: ({ storage }, workspace) => storage.listStatDescriptors({ workspace }),
  createStorageClass: ({ storage }) =>
    storage.createStorageClass({ engine: 'native', body: { name: '-', tier: 'STORAGE_TIER_HOT' } }),
  deleteStorageClass: ({ storage }) => storage.deleteStorageClass({ engine: 'native', id: 'absent' }),
  updateStorageClass: ({ storage }) => storage.updateStorageClass({ engine: 'native', id: 'absent', body: {} }),
  listStorageClassInstances: ({ storage }) => storage.listStorageClassInstances({ storage_class: 'absent' }),
  getStorageClassInstance: ({ storage }) => storage.getStorageClassInstance({ storage_class: 'absent', id: absentId }),
  instantiateStorageClass: ({ storage }) =>
    storage.instantiateStorageClass({ storage_class: 'absent', body: { name: 'a', location: 'local' } }),
}

/** Operations whose rows decide: a list is filtered, and an absent operation is not found, whatever the caller holds. */
const ofRows: ReadonlySet<string> = new Set(['getOperation', 'listOperations'])

/** The permissions that operations need in addition to their own. */
const further: Readonly<Record<string, string>> = { copyObject: 'storage.objects.download' }

const operations = storagePermissions.flatMap(({ access, key, operations: ids }) =>
  ids.map(id => ({
    id,
    key,
    class: access.class,
    isOfPlatform: !access.scopeTypes.some(type => type === 'WORKSPACE'),
  })),
)

/** Returns the ids of the operations that a caller may not call in the workspace. */
async function deniedTo(api: Ninefold): Promise<readonly string[]> {
  const denied: string[] = []
  for (const { id, key } of operations) {
    if (ofRows.has(id)) continue
    const [result] = await Promise.allSettled([calls[id]?.(api, tenant.workspace)])
    if (result?.status !== 'rejected' || result.reason.reason !== 'IAM_PERMISSION_DENIED') continue
    expect(result.reason.rpc).toBe('PERMISSION_DENIED')
    expect([key, further[id]]).toContain(result.reason.metadata.permission)
    denied.push(id)
  }
  return denied
}

type Operation = (typeof operations)[number]

const idsOf = (isDenied: (operation: Operation) => boolean): readonly string[] =>
  operations.filter(each => !ofRows.has(each.id) && isDenied(each)).map(({ id }) => id)

describe('the permissions of storage', () => {
  it('have a call for each operation', () => {
    expect(Object.keys(calls).toSorted()).toEqual(operations.map(({ id }) => id).toSorted())
  })

  it('that a caller lacks refuse each operation, whether the bucket exists or not', async () => {
    const nobody = await member()
    expect(await deniedTo(nobody.api)).toEqual(idsOf(() => true))
    const { at: existing } = tenant
    const refused = { reason: 'IAM_PERMISSION_DENIED' }
    await expect(nobody.api.storage.listObjects(existing)).rejects.toMatchObject(refused)
    await expect(nobody.api.storage.getBucket({ ...existing, id: existing.bucket })).rejects.toMatchObject(refused)
  })

  it('are needed by a signed-in caller: without a token, each operation is refused as unauthenticated', async () => {
    for (const { id } of operations) {
      const [result] = await Promise.allSettled([calls[id]?.(tenant.platform.as(), tenant.workspace)])
      expect([id, result]).toMatchObject([id, { status: 'rejected', reason: { rpc: 'UNAUTHENTICATED' } }])
    }
  })

  it.each(
    storagePermissions.map(({ access, key }) => [key, access.scopeTypes.some(type => type === 'WORKSPACE')] as const),
  )('%s alone allows its operations and no other', async (key, isOfWorkspace) => {
    const grant = isOfWorkspace
      ? roleAt(await roleOf(key, 'ORGANISATION'), 'WORKSPACE', tenant.workspace)
      : roleAt(await roleOf(key, 'PLATFORM'), 'PLATFORM', '')
    const holder = await member(grant)
    expect(await deniedTo(holder.api)).toEqual(idsOf(each => each.key !== key || each.id in further))
  })

  it('of the predefined roles are those of the classes of access, at the workspace and above it', async () => {
    const viewer = idsOf(each => each.class !== 'READ' || each.isOfPlatform)
    const editor = idsOf(each => each.class === 'ADMIN' || each.isOfPlatform)
    const administrator = idsOf(each => each.isOfPlatform)
    const roles: readonly (readonly [Grant, readonly string[]])[] = [
      [roleAt('workspace-viewer', 'WORKSPACE', tenant.workspace), viewer],
      [roleAt('workspace-editor', 'WORKSPACE', tenant.workspace), editor],
      [roleAt('workspace-admin', 'WORKSPACE', tenant.workspace), administrator],
      [roleAt('workspace-viewer', 'GROUP', group), viewer],
      [roleAt('workspace-viewer', 'ORGANISATION', organisation), viewer],
      [roleAt('platform-admin', 'PLATFORM', ''), []],
    ]
    for (const [grant, denied] of roles) {
      const { api } = await member(grant)
      expect([grant, await deniedTo(api)]).toEqual([grant, denied])
    }
  })

  it('in another workspace allow nothing here', async () => {
    const { taxonomy } = tenant.admin.api
    const other = await taxonomy.createWorkspace({ organisation, body: { name: 'other', parent_group_id: group } })
    const { api } = await member(roleAt('workspace-admin', 'WORKSPACE', other.resource_id))
    expect(await deniedTo(api)).toEqual(idsOf(() => true))
    const elsewhere = { ...tenant.at, workspace: other.resource_id }
    const hidden = [
      api.storage.getBucket({ ...elsewhere, id: elsewhere.bucket }),
      api.storage.listObjects(elsewhere),
      api.storage.createPresignedDownloadUrl({ ...elsewhere, body: { object: 'a' } }),
      api.storage.createPresignedUploadUrl({ ...elsewhere, body: { object: 'a' } }),
    ]
    for (const result of await Promise.allSettled(hidden))
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'BUCKET_NOT_FOUND' } })
  })

  it('to delete objects are needed where a call may destroy a version', async () => {
    const role = { name: 'writer', scope_type: 'ORGANISATION', scope_id: organisation } as const
    const permissions = storagePermissions
      .filter(({ access }) => access.scopeTypes.some(type => type === 'WORKSPACE'))
      .map(({ key }) => key)
      .filter(key => key !== 'storage.objects.delete')
    const { resource_id } = await tenant.admin.api.iam.createRole({ body: { ...role, permissions } })
    const { api } = await member(roleAt(resource_id, 'WORKSPACE', tenant.workspace))
    const { storage } = api
    const lacks = { reason: 'IAM_PERMISSION_DENIED', metadata: { permission: 'storage.objects.delete' } }
    const { at: path } = tenant
    await tenant.put('kept', 'hello')
    await expect(storage.createPresignedUploadUrl({ ...path, body: { object: 'kept' } })).rejects.toMatchObject(lacks)
    await expect(storage.deleteBucket({ ...path, id: path.bucket, force: true })).rejects.toMatchObject(lacks)
    await expect(storage.deleteObject({ ...path, object: 'kept' })).rejects.toMatchObject(lacks)
    const { resource_id: upload_id } = await storage.createMultipartUpload({ ...path, body: { object: 'kept' } })
    const { part_urls } = await storage.createPartUrls({ ...path, upload_id, body: { parts: [{ part_number: 1 }] } })
    const [url] = part_urls
    if (!url) throw new Error('a part has no URL')
    const etag = (await tenant.send(url, { body: 'other' })).headers.get('etag') ?? ''
    const completion = { ...path, upload_id, body: { parts: [{ part_number: 1, etag }] } }
    await expect(storage.completeMultipartUpload(completion)).rejects.toMatchObject(lacks)
    expect(await (await tenant.get('kept')).text()).toBe('hello')
    const free = { object: 'new', if_none_match: '*' } as const
    const sent = await tenant.send(await storage.createPresignedUploadUrl({ ...path, body: free }), { body: 'new' })
    expect(sent.status).toBe(200)
  })
})
