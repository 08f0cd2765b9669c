import { describe, expect, it } from 'vitest'
import { bucketCollection, type StoredBucket } from '../../../../domain/storage/buckets/buckets-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { addMember, roleAt, type Member } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantStorage, type TenantStorage } from '../tenant-storage.ts'
import { requestOf, sendRaw, type RawRequest } from './raw-request.ts'

const permissions = [
  'storage.objects.create',
  'storage.objects.delete',
  'storage.objects.download',
  'storage.multipartUploads.create',
]

/** The requests over URLs that a member with a role of `permissions` has signed, before the right is lost. */
interface Signed {
  readonly tenant: TenantStorage
  readonly organisation: string
  readonly role: string
  readonly signer: Member
  readonly upload: string
  readonly download: RawRequest
  readonly overwrite: RawRequest
  readonly creation: RawRequest
  readonly part: RawRequest
}

async function signed(): Promise<Signed> {
  const tenant = await tenantStorage()
  const { admin, at, platform, put, workspace } = tenant
  const { iam, taxonomy } = admin.api
  const organisation = (await taxonomy.listOrganisations({ filter: 'name=acme' })).organisations[0]?.id ?? ''
  const scope = { scope_type: 'ORGANISATION', scope_id: organisation } as const
  const { resource_id: role } = await iam.createRole({ body: { name: 'signer', ...scope, permissions } })
  const signer = await addMember(platform, admin.api, {
    email: 'signer@acme.test',
    organisation_id: organisation,
    grants: [roleAt(role, 'WORKSPACE', workspace)],
  })
  await put('a', 'hello')
  const { storage } = signer.api
  const { resource_id: upload_id } = await storage.createMultipartUpload({ ...at, body: { object: 'parts' } })
  const { part_urls } = await storage.createPartUrls({ ...at, upload_id, body: { parts: [{ part_number: 1 }] } })
  const [part] = part_urls
  if (!part) throw new Error('a part has no URL')
  const upload = (object: string, body = {}) => storage.createPresignedUploadUrl({ ...at, body: { object, ...body } })
  return {
    tenant,
    organisation,
    role,
    signer,
    upload: upload_id,
    download: requestOf(await storage.createPresignedDownloadUrl({ ...at, body: { object: 'a' } })),
    overwrite: requestOf(await upload('a'), 'other'),
    creation: requestOf(await upload('b', { if_none_match: '*' }), 'hello'),
    part: requestOf(part, 'hello'),
  }
}

const change = async ({ tenant: { at, platform } }: Signed, state: StoredBucket['state']): Promise<void> => {
  const store = await openBeside(platform.config, storeCollections(areas))
  await store.tx(async tx => {
    const stored = await tx.lock(bucketCollection, at.bucket)
    if (!stored) throw new Error('the bucket is absent')
    await tx.update(bucketCollection, stored.id, { ...stored.value, state }, stored.version)
  })
  await store.close()
}

const ok = [200, ''] as const
const revoked = [403, 'SIGNER_REVOKED'] as const
const suspended = [403, 'WORKSPACE_NOT_ACTIVE'] as const
const deleting = [409, 'BUCKET_DELETING'] as const
const absent = [404, 'BUCKET_NOT_FOUND'] as const

type Answered = readonly [status: number, reason: string]

const without =
  (permission: string) =>
  ({ role, tenant }: Signed): Promise<unknown> =>
    tenant.admin.api.iam.removeRolePermission({ role, permission })

/** The changes after the signature, and the answers to a download, an overwrite, a new object and a part. */
const changes: readonly (readonly [
  name: string,
  run: (signed: Signed) => Promise<unknown>,
  download: Answered,
  overwrite: Answered,
  creation: Answered,
  part: Answered,
])[] = [
  ['nothing', async () => {}, ok, ok, ok, ok],
  [
    'the deactivation of the signer',
    ({ signer, tenant }) => tenant.admin.api.iam.deactivateUser({ id: signer.id, body: {} }),
    revoked,
    revoked,
    revoked,
    revoked,
  ],
  [
    'the end of the binding',
    async ({ signer, tenant }) => {
      const { iam } = tenant.admin.api
      const { bindings } = await iam.listBindings({ filter: `principal_id = "${signer.id}"` })
      for (const { id } of bindings) await iam.deleteBinding({ id })
    },
    revoked,
    revoked,
    revoked,
    revoked,
  ],
  ['the loss of storage.objects.download', without('storage.objects.download'), revoked, ok, ok, ok],
  ['the loss of storage.objects.create', without('storage.objects.create'), ok, revoked, revoked, ok],
  ['the loss of storage.objects.delete', without('storage.objects.delete'), ok, [403, 'IAM_PERMISSION_DENIED'], ok, ok],
  ['the loss of storage.multipartUploads.create', without('storage.multipartUploads.create'), ok, ok, ok, revoked],
  [
    'the suspension of the workspace',
    ({ organisation, tenant }) =>
      tenant.admin.api.taxonomy.suspendWorkspace({ organisation, id: tenant.workspace, body: {} }),
    suspended,
    suspended,
    suspended,
    suspended,
  ],
  [
    'the archival of the workspace',
    ({ organisation, tenant }) =>
      tenant.admin.api.taxonomy.archiveWorkspace({ organisation, id: tenant.workspace, body: {} }),
    suspended,
    suspended,
    suspended,
    suspended,
  ],
  [
    'the begin of the deletion of the bucket',
    each => change(each, 'STORAGE_BUCKET_STATE_DELETING'),
    ok,
    deleting,
    deleting,
    deleting,
  ],
  [
    'the deletion of the bucket',
    async ({ tenant: { admin, at } }) => {
      const { storage } = admin.api
      await storage.waitOperation(await storage.deleteBucket({ ...at, id: at.bucket, force: true }))
    },
    absent,
    absent,
    absent,
    absent,
  ],
  [
    'the end of the upload',
    ({ tenant: { admin, at }, upload }) => admin.api.storage.abortMultipartUpload({ ...at, upload_id: upload }),
    ok,
    ok,
    ok,
    [400, 'UPLOAD_NOT_ACTIVE'],
  ],
]

describe('URLs that were signed before', () => {
  it.each(changes)('%s', async (_, run, ...expected) => {
    const all = await signed()
    const { platform } = all.tenant
    await run(all)
    const answers: Answered[] = []
    for (const request of [all.download, all.overwrite, all.creation, all.part]) {
      const { reason, status } = await sendRaw(platform, request)
      answers.push([status, reason])
    }
    expect(answers).toEqual(expected)
  })
})
