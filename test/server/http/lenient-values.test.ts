import { expect, it } from 'vitest'
import type { Ninefold } from '../../../output/client.ts'
import { addMember, addTenant, roleAt, type Tenant } from '../../areas/members.ts'
import { baseUrl } from '../../areas/open-platform.ts'
import { testPlatform } from '../../areas/test-platform.ts'

/** Resources of several areas: each function creates a resource and returns its path. */
const resources: Readonly<Record<string, (api: Ninefold, at: Tenant) => Promise<string>>> = {
  group: async (api, { organisation }) => {
    const { resource_id } = await api.taxonomy.createGroup({ organisation, body: { name: 'g' } })
    return `/taxonomy/v1/organisations/${organisation}/groups/${resource_id}`
  },
  organisation: async (_api, { organisation }) => `/taxonomy/v1/organisations/${organisation}`,
  workspace: async (_api, { organisation, workspace }) =>
    `/taxonomy/v1/organisations/${organisation}/workspaces/${workspace}`,
  role: async (api, { organisation }) => {
    const body = { name: 'r', scope_type: 'ORGANISATION' as const, scope_id: organisation, permissions: [] }
    return `/iam/v1/roles/${(await api.iam.createRole({ body })).resource_id}`
  },
  policy: async (api, { workspace }) => {
    const statement = { effect: 'DENY' as const, principals: ['all'], permissions: ['compute.vms.delete'] }
    const { resource_id } = await api.iam.createPolicy({ workspace, body: { name: 'p', statements: [statement] } })
    return `/iam/v1/workspaces/${workspace}/policies/${resource_id}`
  },
  vpc: async (api, { workspace }) => {
    const place = { workspace, engine: 'native' }
    const { resource_id } = await api.network.createVpc({
      ...place,
      body: { name: 'v', region: 'local1', cidr_blocks: ['10.0.0.0/16'] },
    })
    return `/network/v1/workspaces/${workspace}/engines/native/vpcs/${resource_id}`
  },
  profile: async () => '/iam/v1/users/me',
}

it('an empty etag is no etag, in bodies and in queries', async () => {
  const platform = await testPlatform()
  const { api, token } = await platform.admin()
  const tenant = await addTenant(api, 'acme')
  const send = async (method: string, target: string, body?: object): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await platform.from('192.0.2.7')(baseUrl + target, init)).status
  }
  for (const [name, create] of Object.entries(resources)) {
    const path = await create(api, tenant)
    const patch = (etag: string): Promise<number> =>
      send('PATCH', `${path}?update_mask=display_name`, { display_name: 'x', etag })
    expect([await patch(''), await patch('no')], name).toEqual([200, 409])
  }
  for (const name of ['role', 'policy'] as const) {
    const path = await resources[name]?.(api, await addTenant(api, `of-${name}`))
    expect([await send('DELETE', `${path}?etag=no`), await send('DELETE', `${path}?etag=`)], name).toEqual([409, 200])
  }
})

it('a time with t and z in lower case is stored and returned like any other time', async () => {
  const platform = await testPlatform()
  const { api } = await platform.admin()
  const { organisation, workspace } = await addTenant(api, 'acme')
  const kim = await addMember(platform, api, { email: 'kim@acme.example', organisation_id: organisation })
  const body = {
    ...roleAt('workspace-viewer', 'WORKSPACE', workspace),
    principal_id: kim.id,
    condition: 'request.time < 2198-01-01t00:00:00z',
    expire_time: '2199-12-31t23:30:00.5+00:30',
  }
  const { resource_id: id } = await api.iam.createBinding({ body })
  expect((await api.iam.getBinding({ id })).expire_time).toBe('2199-12-31T23:00:00.500Z')
  const filter = `principal_id = ${kim.id} AND expire_time = 2199-12-31t23:00:00.5z`
  expect((await api.iam.listBindings({ filter })).bindings).toHaveLength(1)
  expect(await kim.api.iam.listMyPermissions({ scope_type: 'WORKSPACE', scope_id: workspace })).not.toMatchObject({
    permissions: [],
  })
})
