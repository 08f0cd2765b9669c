import { expect, it } from 'vitest'
import { treePlatform, TreeMaker } from './platform.ts'

const { addThing, client } = await treePlatform()

it('a move reports a taken name before an exceeded limit', async () => {
  const tree = await TreeMaker.make(client, 'name-first')
  const { organisation } = tree
  const [full, other] = [await tree.group('full'), await tree.group('other')]
  await tree.group('web', full)
  const [taken, free] = [await tree.group('web'), await tree.group('free')]
  const moves = [taken, free].map(id => ({ organisation, id, body: { parent_group_id: full } }))
  const [first, second] = moves
  if (first === undefined || second === undefined) throw new Error('a move is missing')
  const body = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: full, limit: 1 } as const
  await client.createQuotaOverride({ quota: 'taxonomy.groups', body })
  await expect(client.moveGroup(first)).rejects.toMatchObject({ reason: 'GROUP_ALREADY_EXISTS' })
  await expect(client.moveGroup(second)).rejects.toMatchObject({
    reason: 'QUOTA_EXCEEDED',
    metadata: { limit: '1', usage: '1', requested: '1' },
  })
  await expect(client.getGroup({ organisation, id: taken })).resolves.toMatchObject({ parent_group_id: '' })
  await client.moveGroup({ ...second, body: { parent_group_id: other } })
})

it.each([
  ['a workspace', 3],
  ['a group with its descendants', 5],
])('a move of %s reports the usage at the target, and the amount that it adds', async (what, requested) => {
  const tree = await TreeMaker.make(client, what.replaceAll(' ', '-'))
  const { organisation } = tree
  const [capped, group] = [await tree.group('capped'), await tree.group('moved')]
  const [resident, workspace] = [await tree.workspace('resident', capped), await tree.workspace('moved')]
  const [inner, innermost] = [await tree.workspace('inner', group), await tree.workspace('innermost', group)]
  for (const [id, vcpus] of [
    [resident, 4],
    [workspace, 3],
    [inner, 3],
    [innermost, 2],
  ] as const)
    await addThing(id, { vcpus })
  const body = { scope_type: 'TAXONOMY_SCOPE_TYPE_GROUP', scope_id: capped, limit: 6 } as const
  const { resource_id } = await client.createQuotaOverride({ quota: 'compute.vcpus', body })
  const into = { organisation, body: { parent_group_id: capped } }
  const move = () =>
    requested === 3 ? client.moveWorkspace({ ...into, id: workspace }) : client.moveGroup({ ...into, id: group })
  await expect(move()).rejects.toMatchObject({
    reason: 'QUOTA_EXCEEDED',
    metadata: { quota: 'compute.vcpus', limit: '6', usage: '4', requested: String(requested), scope_id: capped },
  })
  const usage = async () => (await client.getQuotaOverride({ quota: 'compute.vcpus', id: resource_id })).usage
  expect(await usage()).toBe(4)
  await client.updateQuotaOverride({ quota: 'compute.vcpus', id: resource_id, body: { limit: 4 + requested } })
  await move()
  expect(await usage()).toBe(4 + requested)
})

it.each(['is-no-id', '0199C5A7-52C8-7A3E-9F02-4B6D8E0F1A23'])(
  '%s is refused as parent by its form',
  async malformed => {
    const tree = await TreeMaker.make(client, `malformed-${malformed.toLowerCase()}`)
    const { organisation } = tree
    const [group, workspace] = [await tree.group('group'), await tree.workspace('workspace')]
    const body = { parent_group_id: malformed }
    const calls = [
      () => client.createGroup({ organisation, body: { name: 'another', ...body } }),
      () => client.createWorkspace({ organisation, body: { name: 'another', ...body } }),
      () => client.moveGroup({ organisation, id: group, body }),
      () => client.moveWorkspace({ organisation, id: workspace, body }),
    ]
    const refused = { reason: 'FIELD_INVALID', details: { badRequest: [{ field: 'parent_group_id' }] } }
    for (const call of calls) await expect(call()).rejects.toMatchObject(refused)
  },
)
