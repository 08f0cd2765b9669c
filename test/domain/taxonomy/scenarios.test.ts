import { describe, expect, it } from 'vitest'
import { treePlatform, TreeMaker } from './platform.ts'

const { addThing, client, countThings } = await treePlatform()

const state = (name: string) => `TAXONOMY_LIFECYCLE_STATE_${name}`

/** Creates an organisation with group `eng`, group `plat` in `eng`, and workspace `web` in `plat`; returns the ids. */
async function acme(name: string) {
  const tree = await TreeMaker.make(client, name)
  const eng = await tree.group('eng')
  const plat = await tree.group('plat', eng)
  const web = await tree.workspace('web', plat)
  return { tree, organisation: tree.organisation, eng, plat, web }
}

describe('a tree', () => {
  it('shows depth, ancestors and counts of its nodes', async () => {
    const { eng, organisation, plat, tree, web } = await acme('scenario-one')
    expect(await client.getGroup({ organisation, id: plat })).toMatchObject({ depth: 2, workspace_count: 1 })
    expect(await client.getGroup({ organisation, id: eng })).toMatchObject({
      depth: 1,
      group_count: 1,
      workspace_count: 1,
    })
    const { ancestors } = await client.getWorkspace({ organisation, id: web })
    expect(ancestors.map(({ id, name }) => [name, id])).toEqual([
      ['scenario-one', organisation],
      ['eng', eng],
      ['plat', plat],
    ])
    expect(await client.getOrganisation({ id: organisation })).toMatchObject({ group_count: 2, workspace_count: 1 })
    await expect(tree.workspace('web', eng)).rejects.toMatchObject({
      reason: 'WORKSPACE_ALREADY_EXISTS',
      code: 7003002,
      rpc: 'ALREADY_EXISTS',
      response: { status: 409 },
    })
    await expect(tree.group('plat')).resolves.toMatch(/^[0-9a-f-]{36}$/)
  })

  it('refuses moves into itself, and shows other moves immediately', async () => {
    const { eng, organisation, plat, tree } = await acme('scenario-four')
    const data = await tree.group('data', plat)
    for (const parent_group_id of [data, eng]) {
      await expect(client.moveGroup({ organisation, id: eng, body: { parent_group_id } })).rejects.toMatchObject({
        reason: 'GROUP_MOVE_CYCLE',
        rpc: 'FAILED_PRECONDITION',
        response: { status: 400 },
      })
    }
    const moved = await client.moveGroup({ organisation, id: data, body: { parent_group_id: '' } })
    expect(moved).toMatchObject({
      status: 'TAXONOMY_OPERATION_STATUS_DONE',
      operation_type: 'TAXONOMY_OPERATION_TYPE_MOVE',
    })
    expect(await client.getGroup({ organisation, id: data })).toMatchObject({ depth: 1, parent_group_id: '' })
  })
})

describe('a suspended group', () => {
  it('suspends all nodes below, names itself as the cause, and allows reads', async () => {
    const { eng, organisation, plat, tree, web } = await acme('scenario-two')
    const operation = await client.suspendGroup({ organisation, id: eng, body: { reason: 'unpaid' } })
    expect(operation.status).toBe('TAXONOMY_OPERATION_STATUS_PENDING')
    expect(await client.getWorkspace({ organisation, id: web })).toMatchObject({
      state: state('ACTIVE'),
      effective_state: state('SUSPENDED'),
      effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: eng },
    })
    expect(await client.getGroup({ organisation, id: eng })).toMatchObject({ state_reason: 'unpaid' })
    const refused = await addThing(web)
    expect(refused).toMatchObject({ status: 400, body: { code: 9 } })
    expect(refused.body.details?.[0]).toMatchObject({
      reason: 'WORKSPACE_NOT_ACTIVE',
      metadata: { code: '5000004', blocking_scope_type: 'GROUP', blocking_scope_id: eng },
    })
    expect(await countThings(web)).toBe(0)
    await expect(tree.group('late', plat)).rejects.toMatchObject({
      reason: 'PARENT_NOT_ACTIVE',
      metadata: { scope_type: 'GROUP', scope_id: eng, effective_state: state('SUSPENDED') },
    })
    expect(await client.waitOperation(operation)).toMatchObject({
      status: 'TAXONOMY_OPERATION_STATUS_DONE',
      warnings: [],
    })
  })

  it('does not resume nodes that were suspended separately', async () => {
    const { eng, organisation, web } = await acme('scenario-three')
    await client.suspendWorkspace({ organisation, id: web, body: {} })
    await client.suspendGroup({ organisation, id: eng, body: {} })
    const resumed = await client.resumeGroup({ organisation, id: eng, body: {} })
    expect(resumed.status).toBe('TAXONOMY_OPERATION_STATUS_DONE')
    expect(await client.getWorkspace({ organisation, id: web })).toMatchObject({
      effective_state: state('SUSPENDED'),
      effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: web },
    })
    await expect(client.suspendWorkspace({ organisation, id: web, body: {} })).rejects.toMatchObject({
      reason: 'WORKSPACE_STATE_INVALID',
      metadata: { current_state: state('SUSPENDED'), allowed_states: state('ACTIVE') },
    })
  })
})

describe('a workspace', () => {
  it('can be deleted only from the archive, by force with its resources', async () => {
    const { organisation, web } = await acme('scenario-five')
    expect(await addThing(web)).toMatchObject({ status: 200 })
    await expect(client.deleteWorkspace({ organisation, id: web })).rejects.toMatchObject({
      reason: 'WORKSPACE_STATE_INVALID',
      metadata: { current_state: state('ACTIVE'), allowed_states: state('ARCHIVED') },
    })
    await client.waitOperation(await client.archiveWorkspace({ organisation, id: web, body: {} }))
    await expect(client.deleteWorkspace({ organisation, id: web })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_EMPTY',
      details: { precondition: [{ type: 'depot.things', subject: web, description: '1 left' }] },
    })
    const operation = await client.deleteWorkspace({ organisation, id: web, force: true })
    expect(operation.status).toBe('TAXONOMY_OPERATION_STATUS_PENDING')
    expect(await client.waitOperation(operation)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
    await expect(client.getWorkspace({ organisation, id: web })).rejects.toMatchObject({
      reason: 'WORKSPACE_NOT_FOUND',
      response: { status: 404 },
    })
    expect(await client.getOrganisation({ id: organisation })).toMatchObject({ workspace_count: 0 })
  })
})

describe('a quota', () => {
  it('is limited by an override of a group, and shows the remaining amount', async () => {
    const { eng, organisation, tree, web } = await acme('scenario-six')
    const other = await tree.workspace('other', eng)
    const { resource_id: override } = await client.createQuotaOverride({
      quota: 'compute.vcpus',
      body: { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: eng, limit: 8 },
    })
    expect(await addThing(web, { vcpus: 6 })).toMatchObject({ status: 200 })
    const refused = await addThing(other, { vcpus: 4 })
    expect(refused).toMatchObject({ status: 429, body: { code: 8 } })
    expect(refused.body.details?.[0]).toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      metadata: { quota: 'compute.vcpus', limit: '8', usage: '6', requested: '4', scope_type: 'GROUP', scope_id: eng },
    })
    const asked = {
      organisation,
      id: 'compute.vcpus',
      scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE',
      scope_id: other,
    } as const
    expect(await client.getEffectiveQuota(asked)).toMatchObject({
      limit: 8,
      usage: 0,
      available: 2,
      limit_source: { scope_id: eng, override_id: override },
    })
    await client.deleteQuotaOverride({ quota: 'compute.vcpus', id: override })
    expect(await client.getEffectiveQuota(asked)).toMatchObject({
      limit: 256,
      available: 250,
      limit_source: { scope_id: organisation, override_id: '' },
    })
  })
})
