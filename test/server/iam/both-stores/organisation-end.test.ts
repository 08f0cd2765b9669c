import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { addAccountKey } from '../../../../domain/iam/service-accounts/account-keys.ts'
import { iamCollections } from '../../../../domain/iam/area.ts'
import { areas } from '../../../../server/areas.ts'
import { asHost } from '../../../../server/iam/host.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { openBeside } from '../../store/left-place.ts'
import { addMember, addTenant, roleAt, type Member, type Tenant } from '../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'

const permissions = ['taxonomy.workspaces.get']

/**
 * Creates members, an invited and a deactivated user, a role, bindings at the organisation and the scopes below it, a
 * key of the workspace's service account, and a policy; returns the members and ids. Creates no pictures, spent refresh
 * tokens or assertions.
 */
async function furnish(platform: TestPlatform, ada: Member, at: Tenant) {
  const { group, organisation, workspace } = at
  const { iam } = ada.api
  const guest = await addMember(platform, ada.api, { email: 'guest@elsewhere.example' })
  const home = await addMember(platform, ada.api, { email: 'home@acme.example', organisation_id: organisation })
  await iam.inviteUser({ body: { email: 'invited@acme.example', organisation_id: organisation, delivery: 'RETURN' } })
  const gone = await iam.inviteUser({ body: { email: 'gone@acme.example', organisation_id: organisation } })
  await iam.deactivateUser({ id: gone.resource_id, body: {} })
  const { resource_id: role } = await iam.createRole({
    body: { name: 'seer', scope_type: 'ORGANISATION', scope_id: organisation, permissions },
  })
  const scopes = [
    ['ORGANISATION', organisation],
    ['GROUP', group],
    ['WORKSPACE', workspace],
  ] as const
  for (const [type, id] of scopes) {
    for (const each of [guest, home])
      await iam.createBinding({ body: { ...roleAt(role, type, id), principal_id: each.id } })
  }
  const { service_accounts } = await iam.listServiceAccounts({ filter: `workspace_id = "${workspace}"` })
  const account = service_accounts[0]?.id ?? ''
  await iam.createBinding({ body: { ...roleAt('workspace-viewer', 'WORKSPACE', workspace), principal_id: account } })
  const publicKey = String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
  const key = await asHost(platform.config, areas, parts => addAccountKey(parts, account, { publicKey }))
  const statements = [
    { effect: 'ALLOW' as const, principals: [`principal:${guest.id}`, `role:${role}`], permissions },
    {
      effect: 'DENY' as const,
      principals: ['all'],
      except_principals: [`principal:${account}`],
      permissions: ['compute.vms.start'],
    },
  ]
  await iam.createPolicy({ workspace, body: { name: 'guard', statements } })
  return { guest, home, account, key, role }
}

it('only deactivated users and service accounts, and members from elsewhere, outlive an organisation', async () => {
  const platform = await testPlatform()
  const ada = await platform.admin()
  const at = await addTenant(ada.api, 'acme')
  const other = await addTenant(ada.api, 'umbrella')
  const { account, guest, home, key, role } = await furnish(platform, ada, at)
  await ada.api.iam.createBinding({
    body: { ...roleAt('workspace-viewer', 'WORKSPACE', other.workspace), principal_id: home.id },
  })
  const { group, organisation, workspace } = at
  const { taxonomy } = ada.api
  await taxonomy.archiveOrganisation({ id: organisation, body: {} })
  await expect
    .poll(async () => (await taxonomy.getWorkspace({ organisation, id: workspace })).effective_state)
    .toBe('TAXONOMY_LIFECYCLE_STATE_ARCHIVED')
  await taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  const within = { timeout: 20_000 }
  const isGone = async (call: () => Promise<unknown>) =>
    call().then(
      () => false,
      () => true,
    )
  await expect.poll(() => isGone(() => taxonomy.getWorkspace({ organisation, id: workspace })), within).toBe(true)
  await taxonomy.deleteGroup({ organisation, id: group })
  await taxonomy.deleteOrganisation({ id: organisation })

  const store = await openBeside(platform.config, storeCollections(areas))
  const ids = [organisation, group, workspace, role, key]
  const left = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const collection of iamCollections) {
      // The feed of changes names ended scopes. Users and service accounts stay as deactivated rows, because records
      // name them.
      if (/changes|revision/.test(collection.name)) continue
      for await (const { text } of store.each(collection)) {
        const row: Record<string, unknown> = JSON.parse(text.text)
        const isKept = row['status'] === 'DEACTIVATED' || row['revoke_reason'] !== undefined
        if (!isKept && ids.some(id => text.text.includes(id))) found.push(`${collection.name} ${text.text}`)
      }
    }
    return found
  }
  await expect.poll(left, within).toEqual([])
  await store.close()

  const { iam } = ada.api
  expect(await iam.getServiceAccount({ id: account })).toMatchObject({ status: 'DEACTIVATED', keys: [] })
  for (const email of ['home@acme.example', 'invited@acme.example', 'gone@acme.example']) {
    const { users } = await iam.listUsers({ filter: `email = "${email}"` })
    expect(users).toMatchObject([{ status: 'DEACTIVATED' }])
  }
  await expect(home.api.iam.getMyProfile({})).rejects.toMatchObject({ reason: 'TOKEN_REVOKED' })
  await expect(platform.signedIn(home.email)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' })
  expect(await guest.api.iam.getMyProfile({})).toMatchObject({ status: 'ACTIVE' })
  // A binding of a deactivated user has no effect, but is listed and can be deleted.
  const { bindings } = await iam.listBindings({ filter: `principal_id = "${home.id}"` })
  expect(bindings).toMatchObject([{ scope_id: other.workspace }])
  expect((await iam.deleteBinding({ id: bindings[0]?.id ?? '' })).status).toBe('IAM_OPERATION_STATUS_DONE')
})
