import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platformWorkspaceId, systemOrganisationId } from '../../../domain/ports/reserved.ts'
import { TaxonomyClient } from '../../../output/taxonomy/client.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { dataFolder, type Served, startServer } from '../served.ts'

const folder = dataFolder()
let server: Served
let client: TaxonomyClient

beforeAll(async () => {
  server = await startServer(folder.path)
  client = new TaxonomyClient(server.transport)
})
afterAll(async () => {
  await server.end('SIGINT')
  folder.remove()
})

const done = (operation: TaxonomyOperation): string => {
  expect(operation.status).toBe('TAXONOMY_OPERATION_STATUS_DONE')
  expect(operation.progress).toBe(100)
  return operation.resource_id
}

describe('quotas', () => {
  it('are the built-in quotas, ordered by id, over as many pages as requested', async () => {
    const ids: string[] = []
    for await (const { id } of client.iterateQuotas({ page_size: 5 })) ids.push(id)
    expect(ids).toHaveLength(13)
    expect(ids).toEqual(ids.toSorted())
    const [first] = (await client.listQuotas({ page_size: 1 })).quotas
    expect(first).toMatchObject({ id: 'compute.disk_gib', unit: 'GiBy', default_limit: 10240 })
  })

  it('are filtered and ordered', async () => {
    const { quotas } = await client.listQuotas({ filter: 'default_limit > 1000 AND unit != "1"', order_by: 'id desc' })
    expect(quotas.map(({ id }) => id)).toEqual(['storage.bytes', 'compute.memory_mib', 'compute.disk_gib'])
  })

  it('accept a new default limit, and keep etag and time if no value changes', async () => {
    const before = await client.getQuota({ id: 'vault.secrets' })
    done(await client.updateQuota({ id: 'vault.secrets', body: { default_limit: 1000 } }))
    expect(await client.getQuota({ id: 'vault.secrets' })).toEqual(before)
    done(await client.updateQuota({ id: 'vault.secrets', body: { default_limit: 5, etag: before.etag } }))
    const after = await client.getQuota({ id: 'vault.secrets' })
    expect(after.default_limit).toBe(5)
    expect(after.etag).not.toBe(before.etag)
    await expect(
      client.updateQuota({ id: 'vault.secrets', body: { default_limit: 6, etag: before.etag } }),
    ).rejects.toMatchObject({ reason: 'ETAG_MISMATCH', response: { status: 409 } })
  })

  it('warn if a default limit falls below an organisation’s usage', async () => {
    const operation = await client.updateQuota({ id: 'taxonomy.workspaces', body: { default_limit: 0 } })
    expect(operation.warnings).toEqual([{ code: 7005091, description: expect.stringContaining('ninefold-system') }])
    done(await client.updateQuota({ id: 'taxonomy.workspaces', body: { default_limit: 100 } }))
  })

  it('report an unknown quota with the reason and the resource', async () => {
    await expect(client.getQuota({ id: 'compute.dreams' })).rejects.toMatchObject({
      reason: 'QUOTA_NOT_FOUND',
      code: 7004001,
      details: { resource: { type: 'taxonomy.quotas', name: 'compute.dreams' } },
    })
  })

  it('refuse limits below -1 with the field', async () => {
    await expect(client.updateQuota({ id: 'vault.secrets', body: { default_limit: -2 } })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
      details: { badRequest: [{ field: 'default_limit' }] },
    })
  })
})

describe('quota overrides', () => {
  const quota = 'compute.vcpus'
  const workspace = { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: platformWorkspaceId } as const
  const organisation = { scope_type: 'TAXONOMY_SCOPE_TYPE_ORGANISATION', scope_id: systemOrganisationId } as const

  it('are created, read, changed and deleted', async () => {
    const id = done(
      await client.createQuotaOverride({ quota, body: { ...organisation, limit: 8, description: 'small' } }),
    )
    const made = await client.getQuotaOverride({ quota, id })
    expect(made).toMatchObject({ id, quota_id: quota, limit: 8, usage: 0, description: 'small', ...organisation })
    done(await client.updateQuotaOverride({ quota, id, update_mask: 'limit', body: { limit: 9 } }))
    expect(await client.getQuotaOverride({ quota, id })).toMatchObject({ limit: 9, description: 'small' })
    const { quota_overrides } = await client.listQuotaOverrides({
      quota,
      filter: `scope_id = "${systemOrganisationId}"`,
    })
    expect(quota_overrides.map(override => override.id)).toEqual([id])
    done(await client.deleteQuotaOverride({ quota, id }))
    await expect(client.getQuotaOverride({ quota, id })).rejects.toMatchObject({ reason: 'QUOTA_OVERRIDE_NOT_FOUND' })
  })

  it('are unique for a quota and scope', async () => {
    const id = done(await client.createQuotaOverride({ quota, body: { ...organisation, limit: 8 } }))
    await expect(client.createQuotaOverride({ quota, body: { ...organisation, limit: 8 } })).rejects.toMatchObject({
      reason: 'QUOTA_OVERRIDE_ALREADY_EXISTS',
      code: 7005002,
    })
    done(await client.deleteQuotaOverride({ quota, id }))
  })

  it('warn if an ancestor’s limit applies or the limit is below the usage', async () => {
    const above = await client.createQuotaOverride({ quota, body: { ...workspace, limit: -1 } })
    expect(above.warnings).toMatchObject([{ code: 7005090 }])
    done(await client.deleteQuotaOverride({ quota, id: above.resource_id }))
    const below = await client.createQuotaOverride({
      quota: 'taxonomy.workspaces',
      body: { ...organisation, limit: 0 },
    })
    expect(below.warnings).toMatchObject([{ code: 7005091 }])
    expect(await client.getQuotaOverride({ quota: 'taxonomy.workspaces', id: below.resource_id })).toMatchObject({
      usage: 1,
    })
    done(await client.deleteQuotaOverride({ quota: 'taxonomy.workspaces', id: below.resource_id }))
  })

  it.each([
    [
      'a scope that does not exist',
      'compute.vms',
      { ...organisation, scope_id: '01990000-0000-7000-8000-000000000000' },
      'scope_id',
    ],
    [
      'the platform',
      'compute.vms',
      { ...organisation, scope_type: 'TAXONOMY_SCOPE_TYPE_PLATFORM' as const },
      'scope_type',
    ],
    ['a workspace for a quota that a workspace cannot use', 'taxonomy.groups', workspace, 'scope_type'],
  ])('refuse %s', async (_what, wanted, scope, field) => {
    await expect(client.createQuotaOverride({ quota: wanted, body: { ...scope, limit: 1 } })).rejects.toMatchObject({
      reason: 'QUOTA_OVERRIDE_SCOPE_INVALID',
      rpc: 'INVALID_ARGUMENT',
      details: { badRequest: [{ field }] },
    })
  })

  it('keep scope and scope type', async () => {
    const id = done(await client.createQuotaOverride({ quota, body: { ...organisation, limit: 8 } }))
    const moved = { ...workspace, limit: 8 }
    await expect(client.updateQuotaOverride({ quota, id, body: moved })).rejects.toMatchObject({
      reason: 'FIELD_IMMUTABLE',
      details: { badRequest: expect.arrayContaining([{ field: 'scope_id', description: expect.any(String) }]) },
    })
    await expect(client.updateQuotaOverride({ quota, id, update_mask: 'usage.x', body: {} })).rejects.toMatchObject({
      reason: 'UPDATE_MASK_INVALID',
    })
    done(await client.deleteQuotaOverride({ quota, id }))
  })

  it('are found under their own quota only', async () => {
    const id = done(await client.createQuotaOverride({ quota, body: { ...organisation, limit: 8 } }))
    await expect(client.getQuotaOverride({ quota: 'compute.vms', id })).rejects.toMatchObject({
      reason: 'QUOTA_OVERRIDE_NOT_FOUND',
    })
    done(await client.deleteQuotaOverride({ quota, id }))
  })
})
