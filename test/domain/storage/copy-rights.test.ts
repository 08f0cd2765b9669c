import { describe, expect, it } from 'vitest'
import { absentId, addMember, addTenant, roleAt, type Member } from '../../areas/members.ts'
import { tenantStorage } from './tenant-storage.ts'

const engine = 'native'

/** The buckets of a copy from one workspace to another, with the object `a` in the source and `taken` in both. */
interface Buckets {
  readonly admin: Member
  readonly source: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  readonly to: { readonly workspace: string; readonly engine: string; readonly bucket: string }
  /** Makes a member with permissions in the workspaces of the source and of the copy. */
  member(atSource: readonly string[], atCopy: readonly string[]): Promise<Member>
}

async function buckets(): Promise<Buckets> {
  const { admin, at: source, platform, put, send } = await tenantStorage()
  const { iam, storage } = admin.api
  await put('a', 'hello')
  const { organisation, workspace } = await addTenant(admin.api, 'globex')
  const made = await storage.createBucket({ workspace, engine, body: { name: 'copies' } })
  const to = { workspace, engine, bucket: made.resource_id }
  const sent = await send(await storage.createPresignedUploadUrl({ ...to, body: { object: 'taken' } }), { body: 'x' })
  expect(sent.status).toBe(200)
  const grant = async (name: string, permissions: readonly string[], at: string) => {
    const body = { name, scope_type: 'PLATFORM' as const, scope_id: '', permissions: [...permissions] }
    return roleAt((await iam.createRole({ body })).resource_id, 'WORKSPACE', at)
  }
  return {
    admin,
    source,
    to,
    member: async (atSource, atCopy) =>
      addMember(platform, admin.api, {
        email: 'copier@globex.test',
        organisation_id: organisation,
        grants: [
          ...(atSource.length > 0 ? [await grant('reader', atSource, source.workspace)] : []),
          await grant('writer', atCopy, workspace),
        ],
      }),
  }
}

const [create, download, remove] = ['storage.objects.create', 'storage.objects.download', 'storage.objects.delete']

describe('the caller of a copy', () => {
  it.each([
    ['may copy with the rights to download the source and to create the copy', [download], [create], 'b', undefined],
    ['needs the right to download the source', [create], [create, download], 'b', 'IAM_PERMISSION_DENIED'],
    ['needs the right to create the copy', [download, create], [download], 'b', 'IAM_PERMISSION_DENIED'],
    ['needs the right to delete an object that it overwrites', [download], [create], 'taken', 'IAM_PERMISSION_DENIED'],
    ['may overwrite with the right to delete', [download], [create, remove], 'taken', undefined],
  ] as const)('%s', async (_, atSource, atCopy, destination_object, reason) => {
    const { member, source, to } = await buckets()
    const { api } = await member(atSource, atCopy)
    const body = { source_bucket_id: source.bucket, source_object: 'a', destination_object }
    const copied = api.storage.copyObject({ ...to, body })
    if (reason === undefined) expect((await copied).errors).toEqual([])
    else await expect(copied).rejects.toMatchObject({ reason })
  })

  it('does not learn whether a bucket exists in which the caller has no right', async () => {
    const { member, source, to } = await buckets()
    const { api } = await member([], [create, download, remove])
    for (const source_bucket_id of [source.bucket, absentId]) {
      const body = { source_bucket_id, source_object: 'a', destination_object: 'b' }
      const copied = api.storage.copyObject({ ...to, body })
      await expect(copied).rejects.toMatchObject({ reason: 'IAM_PERMISSION_DENIED' })
    }
  })
})

it.each(['source', 'to'] as const)('a copy is refused while the workspace of its %s is suspended', async which => {
  const { admin, source, to } = await buckets()
  const { storage, taxonomy } = admin.api
  const { [which]: place } = { source, to }
  const workspace = await workspaceOf(admin, place.workspace)
  await taxonomy.waitOperation(await taxonomy.suspendWorkspace({ ...workspace, body: {} }))
  const body = { source_bucket_id: source.bucket, source_object: 'a', destination_object: 'b' }
  await expect(storage.copyObject({ ...to, body })).rejects.toMatchObject({ reason: 'WORKSPACE_NOT_ACTIVE' })
})

async function workspaceOf({ api }: Member, id: string) {
  for (const { id: organisation } of (await api.taxonomy.listOrganisations({})).organisations) {
    const { workspaces } = await api.taxonomy.listWorkspaces({ organisation })
    if (workspaces.some(workspace => workspace.id === id)) return { organisation, id }
  }
  throw new Error(`no organisation has workspace ${id}`)
}
