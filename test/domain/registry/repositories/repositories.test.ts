import { beforeAll, describe, expect, it } from 'vitest'
import type { Ninefold } from '../../../../output/client.ts'
import type { RepositoryInput } from '../../../../output/registry/types.ts'
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

const at = () => ({ workspace: tenant.workspace, engine: 'native' })

const create = (name: string, more: Partial<RepositoryInput> = {}) =>
  api.registry.createRepository({ ...at(), body: { name, ...more } })

const newRepository = async (name: string, more: Partial<RepositoryInput> = {}) =>
  (await create(name, more)).resource_id

const present = { reason: 'REPOSITORY_NOT_FOUND', rpc: 'NOT_FOUND' }

describe('a repository', () => {
  it('is created in the only region, read, listed, changed and deleted', async () => {
    const operation = await create('team/api', { labels: { team: 'shop' } })
    expect(operation).toMatchObject({
      resource_type: 'registry.repositories',
      operation_type: 'REGISTRY_OPERATION_TYPE_CREATE',
      status: 'REGISTRY_OPERATION_STATUS_DONE',
      scope_type: 'REGISTRY_SCOPE_TYPE_WORKSPACE',
      scope_id: tenant.workspace,
    })
    const id = operation.resource_id
    const repository = await api.registry.getRepository({ ...at(), id })
    const workspace = await api.taxonomy.getWorkspace({ organisation: tenant.organisation, id: tenant.workspace })
    const organisation = await api.taxonomy.getOrganisation({ id: tenant.organisation })
    expect(repository).toMatchObject({
      id,
      workspace_id: tenant.workspace,
      engine: 'native',
      name: 'team/api',
      state: 'REGISTRY_REPOSITORY_STATE_ACTIVE',
      region: 'local1',
      multi_region: '',
      tag_mutability: 'REGISTRY_TAG_MUTABILITY_MUTABLE',
      immutable_tag_exceptions: [],
      allowed_kinds: [],
      max_artifact_size_bytes: 0,
      artifact_count: 0,
      tag_count: 0,
      size_bytes: 0,
      labels: { team: 'shop' },
    })
    expect(repository.uri.split('/').slice(1).join('/')).toBe(`${organisation.name}/${workspace.name}/team/api`)
    expect(repository).not.toHaveProperty('path')
    expect(repository).not.toHaveProperty('last_push_time')
    const { repositories } = await api.registry.listRepositories({ ...at(), filter: 'labels.team="shop"' })
    expect(repositories).toEqual([repository])
    await api.registry.updateRepository({
      ...at(),
      id,
      update_mask: 'tag_mutability,immutable_tag_exceptions',
      body: { tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE', immutable_tag_exceptions: ['latest', 'dev-*'] },
    })
    const changed = await api.registry.getRepository({ ...at(), id })
    expect(changed).toMatchObject({
      tag_mutability: 'REGISTRY_TAG_MUTABILITY_IMMUTABLE',
      immutable_tag_exceptions: ['latest', 'dev-*'],
      labels: { team: 'shop' },
    })
    expect(changed.etag).not.toBe(repository.etag)
    expect((await api.registry.deleteRepository({ ...at(), id })).status).toBe('REGISTRY_OPERATION_STATUS_DONE')
    await expect(api.registry.getRepository({ ...at(), id })).rejects.toMatchObject(present)
  })

  it('has a name that is unique in the workspace, by the grammar of OCI', async () => {
    await newRepository('one')
    await expect(create('one')).rejects.toMatchObject({ reason: 'REPOSITORY_ALREADY_EXISTS', rpc: 'ALREADY_EXISTS' })
    for (const name of ['One', 'a//b', '/a', 'a/', '-a', 'a..b', 'a___b', 'x'.repeat(129)])
      await expect(create(name), name).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    for (const name of ['a.b_c__d--e', 'a/b/c', '0', 'x'.repeat(128)]) await newRepository(name)
  })

  it('is absent under another engine, another workspace and an unknown id', async () => {
    const id = await newRepository('two')
    const other = await addTenant(api, 'other')
    await expect(api.registry.getRepository({ ...at(), id: absentId })).rejects.toMatchObject(present)
    await expect(
      api.registry.getRepository({ workspace: other.workspace, engine: 'native', id }),
    ).rejects.toMatchObject(present)
    await expect(api.registry.getRepository({ ...at(), engine: 'other', id })).rejects.toMatchObject({
      reason: 'ENGINE_NOT_FOUND',
    })
    await expect(api.registry.deleteRepository({ ...at(), id: absentId })).rejects.toMatchObject(present)
  })

  it('with force is deleted by work that ends DONE', async () => {
    const id = await newRepository('forced')
    const operation = await api.registry.deleteRepository({ ...at(), id, force: true })
    await expect
      .poll(async () => (await api.registry.getOperation({ id: operation.id })).status)
      .toBe('REGISTRY_OPERATION_STATUS_DONE')
    await expect(api.registry.getRepository({ ...at(), id })).rejects.toMatchObject(present)
  })

  it('must name its region once there are several, and a region that exists', async () => {
    await addRegions(api, ['north'])
    const refused = (field: string) => ({
      reason: 'FIELD_INVALID',
      details: { badRequest: [expect.objectContaining({ field })] },
    })
    await expect(create('three')).rejects.toMatchObject(refused('region'))
    await expect(create('three', { region: 'south' })).rejects.toMatchObject(refused('region'))
    await expect(create('three', { multi_region: 'both' })).rejects.toMatchObject(refused('multi_region'))
    await expect(create('three', { region: 'north', multi_region: 'both' })).rejects.toMatchObject(
      refused('multi_region'),
    )
    const id = await newRepository('three', { region: 'north' })
    expect(await api.registry.getRepository({ ...at(), id })).toMatchObject({ region: 'north' })
  })
})

describe('the quota limits of a workspace', () => {
  it('stop a repository beyond the limit, and are counted', async () => {
    const { workspace } = await addTenant(api, 'limited')
    const limited = { workspace, engine: 'native' }
    const body = { quota_definition_id: 'registry.repositories', limit: 1 }
    const { resource_id: id } = await api.registry.createQuotaLimit({ workspace, body })
    await api.registry.createRepository({ ...limited, body: { name: 'one', region: 'local1' } })
    await expect(
      api.registry.createRepository({ ...limited, body: { name: 'two', region: 'local1' } }),
    ).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED', metadata: { quota: 'registry.repositories', usage: '1' } })
    const limit = await api.registry.getQuotaLimit({ workspace, id })
    expect(limit).toMatchObject({ scope_id: workspace, limit: 1, usage: 1, dimensions: {} })
    expect(limit).not.toHaveProperty('workspace_id')
    expect((await api.registry.listQuotaLimits({ workspace })).quota_limits).toEqual([limit])
    await expect(api.registry.createQuotaLimit({ workspace, body })).rejects.toMatchObject({
      reason: 'QUOTA_LIMIT_ALREADY_EXISTS',
    })
    const lowered = await api.registry.updateQuotaLimit({ workspace, id, update_mask: 'limit', body: { limit: 0 } })
    expect(lowered.warnings).toMatchObject([{ code: 5011090 }])
    await api.registry.deleteQuotaLimit({ workspace, id })
    await api.registry.createRepository({ ...limited, body: { name: 'two', region: 'local1' } })
  })

  it('name a definition that exists, with exactly its dimensions', async () => {
    const { workspace } = tenant
    const limit = (body: { quota_definition_id: string; dimensions?: Record<string, string> }) =>
      api.registry.createQuotaLimit({ workspace, body: { limit: 1, ...body } })
    await expect(limit({ quota_definition_id: 'registry.nothing' })).rejects.toMatchObject({
      reason: 'QUOTA_DEFINITION_NOT_FOUND',
      rpc: 'INVALID_ARGUMENT',
    })
    for (const dimensions of [{}, { repository_id: '' }, { repository_id: 'a', other: 'b' }])
      await expect(limit({ quota_definition_id: 'registry.artifacts', dimensions })).rejects.toMatchObject({
        reason: 'QUOTA_LIMIT_DIMENSIONS_INVALID',
      })
  })
})
