import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Activity } from '../../../output/observability/types.ts'
import { areas } from '../../../server/areas.ts'
import { doctorFindings } from '../../areas/doctor.ts'
import { absentId, addMember, addTenant, roleAt, type Member, type Tenant } from '../../areas/members.ts'
import { outcomeOf } from '../outcomes.ts'
import { tenantVms, type TenantVms } from '../compute/tenant-vms.ts'
import { afterTests } from '../../undo.ts'

let tenant: TenantVms
let admin: Member
let stranger: Member
let other: Tenant

beforeAll(async () => {
  tenant = await tenantVms(0, { later: afterTests })
  const { api, organisation, platform, workspace } = tenant
  admin = await platform.admin()
  const at = { workspace, engine: 'native' }
  await tenant.created('vm')
  await api.storage.createBucket({ ...at, body: { name: 'files' } })
  await api.registry.createRepository({ ...at, body: { name: 'images' } })
  await api.vault.createSecret({ ...at, body: { name: 'key' } })
  await api.topology.createZone({ body: { name: 'local1-b', location: 'local' } })
  other = await addTenant(api, 'other')
  stranger = await addMember(platform, api, {
    email: 'sam@other.example',
    organisation_id: other.organisation,
    grants: [roleAt('workspace-viewer', 'WORKSPACE', other.workspace)],
  })
  await expect(platform.signedIn('sam@other.example', 'a wrong passphrase')).rejects.toThrow()
  const send = platform.from('192.0.2.9')
  const headers = { authorization: `Bearer ${stranger.token}`, 'user-agent': 'probe/1.0' }
  for (const path of deniedPaths(organisation, workspace))
    expect([path, (await send(`http://platform.test${path}`, { headers })).status]).toEqual([path, 403])
})

/** A path of each area that the stranger may not read. */
const deniedPaths = (organisation: string, workspace: string): readonly string[] => [
  `/compute/v1/workspaces/${workspace}/engines/native/vms`,
  `/iam/v1/users/${absentId}`,
  `/network/v1/workspaces/${workspace}/engines/native/vpcs`,
  `/observability/v1/activities/${absentId}`,
  `/registry/v1/workspaces/${workspace}/engines/native/repositories`,
  `/storage/v1/workspaces/${workspace}/engines/native/buckets`,
  `/taxonomy/v1/organisations/${organisation}/groups`,
  `/topology/v1/deployment-targets`,
  `/vault/v1/workspaces/${workspace}/engines/native/secrets`,
]

async function all(filter = '', by = admin): Promise<readonly Activity[]> {
  const found: Activity[] = []
  for await (const each of by.api.observability.iterateActivities({ filter, page_size: 100 })) found.push(each)
  return found
}

const actionsOf = async (filter: string): Promise<readonly string[]> => (await all(filter)).map(({ action }) => action)

describe('the audit', () => {
  it.each([
    ['compute', 'createVm', 'vm'],
    ['iam', 'inviteUser', ''],
    ['network', 'createSubnet', 's'],
    ['registry', 'createRepository', 'images'],
    ['storage', 'createBucket', 'files'],
    ['taxonomy', 'createWorkspace', 'web'],
    ['topology', 'createZone', 'local1-b'],
    ['vault', 'createSecret', 'key'],
  ])('lists a mutation of %s with its caller, its resource and its operation', async (area, action, resource_name) => {
    await expect.poll(() => actionsOf(`area = ${area} AND action = ${action}`)).toContain(action)
    const [activity] = await all(`area = ${area} AND action = ${action}`)
    expect(activity).toMatchObject({
      category: 'OBSERVABILITY_ACTIVITY_CATEGORY_ADMIN_WRITE',
      outcome: 'OBSERVABILITY_ACTIVITY_OUTCOME_SUCCEEDED',
      resource_name,
      principal_id: admin.id,
      principal_kind: 'OBSERVABILITY_PRINCIPAL_KIND_USER',
      client_ip: '192.0.2.7',
      code: 0,
      count: 1,
    })
    expect(activity?.operation_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(activity?.resource_id).not.toBe('')
  })

  it.each(areas.map(({ domain }) => domain.name))('lists a denial of %s with its reason and its caller', async area => {
    const filter = `area = ${area} AND category = OBSERVABILITY_ACTIVITY_CATEGORY_ACCESS_DENIED AND principal_id = "${stranger.id}"`
    await expect.poll(() => all(filter)).toHaveLength(1)
    expect(await all(filter)).toMatchObject([
      {
        outcome: 'OBSERVABILITY_ACTIVITY_OUTCOME_DENIED',
        code: 7,
        reason: 'IAM_PERMISSION_DENIED',
        operation_id: '',
        client_ip: '192.0.2.9',
        user_agent: 'probe/1.0',
      },
    ])
  })

  it('lists sign-ins and their failures', async () => {
    const filter = `category = OBSERVABILITY_ACTIVITY_CATEGORY_AUTHENTICATION AND resource_id = "${stranger.id}"`
    await expect.poll(() => all(filter)).toHaveLength(2)
    expect((await all(filter)).map(({ code, outcome, reason }) => [outcome, code, reason])).toEqual([
      ['OBSERVABILITY_ACTIVITY_OUTCOME_DENIED', 16, 'INVALID_CREDENTIALS'],
      ['OBSERVABILITY_ACTIVITY_OUTCOME_SUCCEEDED', 0, ''],
    ])
  })

  it('numbers the activities of each chain without gaps, and hashes them as the document says', async () => {
    const chains = Map.groupBy(await all(), chainOf)
    expect([...chains.keys()]).toEqual(expect.arrayContaining(['', tenant.organisation, other.organisation]))
    for (const chain of chains.values()) {
      let previous = '0'.repeat(64)
      for (const [i, activity] of chain.toSorted((a, b) => a.sequence - b.sequence).entries()) {
        const { hash, previous_hash, ...content } = activity
        expect([activity.sequence, previous_hash]).toEqual([i + 1, previous])
        const sorted = Object.fromEntries(Object.entries(content).sort(([a], [b]) => (a < b ? -1 : 1)))
        expect(hash).toBe(
          createHash('sha256')
            .update(previous + JSON.stringify(sorted))
            .digest('hex'),
        )
        previous = hash
      }
    }
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })

  it('lists by default from the latest on, filters by ancestors, and sorts by time and sequence', async () => {
    const { api, organisation } = tenant
    const latest = await all()
    expect(latest.map(keyOf)).toEqual(
      latest.toSorted((a, b) => (a.time === b.time ? b.sequence - a.sequence : a.time < b.time ? 1 : -1)).map(keyOf),
    )
    const below = await all(`ancestor_ids : "${organisation}"`)
    expect(below.length).toBeGreaterThan(3)
    expect(below.every(({ ancestor_ids }) => ancestor_ids[0] === organisation)).toBe(true)
    const { activities } = await api.observability.listActivities({
      filter: `scope_id = "${organisation}"`,
      order_by: 'sequence',
    })
    expect(activities[0]).toMatchObject({ action: 'createOrganisation', sequence: 1, ancestor_ids: [] })
    await expect(api.observability.listActivities({ filter: 'client_ip = "1"' })).rejects.toThrow()
    await expect(api.observability.listActivities({ order_by: 'area' })).rejects.toThrow()
  })

  it('shows a member the activities of its scopes alone', async () => {
    const { platform } = tenant
    const viewer = await addMember(platform, tenant.api, {
      email: 'vera@other.example',
      organisation_id: other.organisation,
      grants: [roleAt('organisation-viewer', 'ORGANISATION', other.organisation)],
    })
    const [foreign] = await all(`scope_id = "${tenant.workspace}"`)
    const [own] = await all(`scope_id = "${other.workspace}"`)
    const seen = await all('', viewer)
    expect(seen.map(({ id }) => id)).toContain(own?.id)
    expect(new Set(seen.map(({ scope_id }) => scope_id))).toEqual(
      new Set([other.organisation, other.group, other.workspace]),
    )
    const { observability } = viewer.api
    expect(await observability.getActivity({ id: own?.id ?? '' })).toEqual(own)
    expect(await outcomeOf(observability.getActivity({ id: foreign?.id ?? '' }))).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(observability.getActivity({ id: absentId }))).toBe('IAM_PERMISSION_DENIED')
    expect(await outcomeOf(admin.api.observability.getActivity({ id: absentId }))).toBe('ACTIVITY_NOT_FOUND')
  })

  it('keeps the activities of a deleted workspace', async () => {
    const { api, organisation } = tenant
    const made = await api.taxonomy.createWorkspace({ organisation, body: { name: 'brief' } })
    const id = made.resource_id
    await expect.poll(() => actionsOf(`resource_id = "${id}"`)).toContain('createWorkspace')
    await api.taxonomy.archiveWorkspace({ organisation, id, body: {} })
    await api.taxonomy.deleteWorkspace({ organisation, id })
    const found = () => actionsOf(`resource_id = "${id}" AND area = taxonomy`)
    await expect.poll(found).toEqual(['deleteWorkspace', 'archiveWorkspace', 'createWorkspace'])
    expect(new Set((await all(`resource_id = "${id}"`)).map(each => each.resource_name))).toEqual(new Set(['brief']))
    const [deletion] = await all(`resource_id = "${id}"`)
    expect(await api.observability.getActivity({ id: deletion?.id ?? '' })).toEqual(deletion)
    expect(await doctorFindings(tenant.platform.config)).toEqual([])
  })
})

const keyOf = ({ id }: Activity): string => id

/** Returns the organisation of an activity. */
const chainOf = ({ ancestor_ids, scope_id, scope_type }: Activity): string =>
  ancestor_ids[0] ?? (scope_type === 'OBSERVABILITY_SCOPE_TYPE_ORGANISATION' ? scope_id : '')
