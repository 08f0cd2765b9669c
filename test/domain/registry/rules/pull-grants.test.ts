import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { PullGrantInput } from '../../../../output/registry/types.ts'
import { absentId, addMember, addTenant, roleAt, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'
import { afterTests } from '../../../undo.ts'
import { endingSoon } from '../ending-soon.ts'

let platform: TestPlatform
let api: Ninefold
let giver: Tenant
let taker: Tenant
let repository: string

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  api = (await platform.admin()).api
  giver = await addTenant(api, 'giver')
  taker = await addTenant(api, 'taker')
  repository = (await api.registry.createRepository({ ...at(giver), body: { name: 'api' } })).resource_id
})

const at = ({ workspace }: Tenant) => ({ workspace, engine: 'native' })

const grant = (body: Partial<PullGrantInput> = {}) =>
  api.registry.createPullGrant({ ...at(giver), body: { grantee_workspace_id: taker.workspace, ...body } })

const refusal = (reason: string, field: string) => ({
  reason,
  rpc: 'INVALID_ARGUMENT',
  details: { badRequest: [expect.objectContaining({ field })] },
})

describe('a pull grant', () => {
  it('is seen by both workspaces, each from its side, and deleted by the one that gave it', async () => {
    const { resource_id: id } = await grant({ repository_id: repository, description: 'for tests' })
    const [given] = (await api.registry.listPullGrants(at(giver))).pull_grants
    const [got] = (await api.registry.listPullGrants(at(taker))).pull_grants
    expect(given).toMatchObject({
      id,
      grantor_workspace_id: giver.workspace,
      grantee_workspace_id: taker.workspace,
      repository_id: repository,
      direction: 'REGISTRY_GRANT_DIRECTION_OUTGOING',
      state: 'REGISTRY_PULL_GRANT_STATE_ACTIVE',
    })
    expect(got).toEqual({ ...given, direction: 'REGISTRY_GRANT_DIRECTION_INCOMING' })
    const incoming = 'direction=REGISTRY_GRANT_DIRECTION_INCOMING'
    expect((await api.registry.listPullGrants({ ...at(giver), filter: incoming })).pull_grants).toEqual([])
    expect((await api.registry.listPullGrants({ ...at(taker), filter: incoming })).pull_grants).toEqual([got])
    await expect(api.registry.deletePullGrant({ ...at(taker), id })).rejects.toMatchObject({
      reason: 'PULL_GRANT_NOT_FOUND',
      rpc: 'NOT_FOUND',
    })
    await api.registry.deletePullGrant({ ...at(giver), id })
    expect((await api.registry.listPullGrants(at(taker))).pull_grants).toEqual([])
  })

  it('is the only active one of its grantee and repository', async () => {
    const { resource_id: lasting } = await grant()
    await expect(grant()).rejects.toMatchObject({ reason: 'PULL_GRANT_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' })
    await grant({ repository_id: repository })
    await api.registry.deletePullGrant({ ...at(giver), id: lasting })
    const { resource_id: first } = await endingSoon(expire_time => grant({ expire_time }))
    await expect.poll(() => grant().then(() => 'made', String), { interval: 100 }).toBe('made')
    const expired = 'state=REGISTRY_PULL_GRANT_STATE_EXPIRED'
    const listed = (await api.registry.listPullGrants({ ...at(giver), filter: expired })).pull_grants
    expect(listed).toMatchObject([{ id: first, state: 'REGISTRY_PULL_GRANT_STATE_EXPIRED' }])
    const active = 'state=REGISTRY_PULL_GRANT_STATE_ACTIVE'
    expect((await api.registry.listPullGrants({ ...at(giver), filter: active })).pull_grants).toHaveLength(2)
    expect((await api.registry.listPullGrants({ ...at(giver), filter: `NOT ${active}` })).pull_grants).toEqual(listed)
  })

  it('is refused to itself, to nobody, of an absent repository and with a past end', async () => {
    await expect(grant({ grantee_workspace_id: giver.workspace })).rejects.toMatchObject(
      refusal('GRANTEE_INVALID', 'grantee_workspace_id'),
    )
    await expect(grant({ grantee_workspace_id: absentId })).rejects.toMatchObject(
      refusal('GRANTEE_INVALID', 'grantee_workspace_id'),
    )
    await expect(grant({ repository_id: absentId })).rejects.toMatchObject(
      refusal('REPOSITORY_NOT_FOUND', 'repository_id'),
    )
    await expect(grant({ expire_time: '2020-01-01T00:00:00Z' })).rejects.toMatchObject(
      refusal('EXPIRE_TIME_IN_PAST', 'expire_time'),
    )
  })

  it('to another organisation needs a further permission, and does not tell whether a workspace exists', async () => {
    const role = await grantorRole()
    const editor = await addMember(platform, api, {
      email: 'editor@example.com',
      grants: [roleAt(role, 'WORKSPACE', giver.workspace)],
    })
    for (const grantee_workspace_id of [taker.workspace, absentId])
      await expect(
        editor.api.registry.createPullGrant({ ...at(giver), body: { grantee_workspace_id } }),
      ).rejects.toMatchObject({
        reason: 'IAM_PERMISSION_DENIED',
        metadata: { permission: 'registry.pullGrants.createExternal', scope_id: giver.workspace },
      })
  })
})

/** Creates a role that may give grants within the organisation; returns its id. */
async function grantorRole(): Promise<string> {
  const scope = { scope_type: 'ORGANISATION', scope_id: giver.organisation } as const
  const body = { name: 'grantor', ...scope, permissions: ['registry.pullGrants.create'] }
  return (await api.iam.createRole({ body })).resource_id
}
