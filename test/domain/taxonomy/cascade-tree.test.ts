import { describe, expect, it, onTestFinished } from 'vitest'
import { works } from '../../../server/operations/work.ts'
import { Nodes, state, type Node } from './nodes-by-kind.ts'
import { TreeMaker } from './platform.ts'
import { gate, type Gate } from './scripted-area.ts'
import { scriptedPlatform, within } from './scripted-platform.ts'

const { client, ended, operation, quiet, script, shelf, store } = await scriptedPlatform()
const nodes = new Nodes(client)

function gateOfTest(): Gate {
  const made = gate()
  onTestFinished(() => made.open())
  return made
}

/** Makes a group `from` that contains a group with a workspace, and a group `to`, the target of moves. */
async function branch(name: string) {
  const tree = await TreeMaker.make(client, name)
  const { organisation } = tree
  const from = await tree.group('from')
  const inner = await tree.group('inner', from)
  const to = await tree.group('to')
  const id = await tree.workspace('web', inner)
  const group = (group: string): Node => ({ kind: 'group', organisation, id: group })
  const workspace: Node = { kind: 'workspace', organisation, id }
  return { tree, organisation, id, workspace, to, from: group(from), inner: group(inner) }
}

/** Occupies all places of the workers until the returned gate is opened, so that later cascades must wait. */
async function fillWorkers(name: string): Promise<Gate> {
  const tree = await TreeMaker.make(client, name)
  const { organisation } = tree
  const held = gateOfTest()
  for (let i = 0; i < 16; i += 1) {
    script.reconcile(await tree.workspace(`w-${i}`), async () => {
      await held.passed
      return true
    })
  }
  await nodes.change('suspend', { kind: 'organisation', organisation, id: organisation })
  await expect.poll(() => script.inside, within).toBe(16)
  return held
}

describe('during a cascade', () => {
  it.each(['workspace', 'inner'] as const)(
    'the areas apply the state of a node that moves out of the cascade: %s',
    async which => {
      const { from, id, to, ...moving } = await branch(`moves-${which}`)
      await ended(await nodes.change('suspend', from))
      expect(await shelf(id)).toBe('SUSPENDED')
      const held = await fillWorkers(`fills-${which}`)
      const resumed = await nodes.change('resume', from)
      const moved = await nodes.move(moving[which], { parent_group_id: to })
      expect(moved).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
      expect(await operation(resumed.id)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_PENDING' })
      held.open()
      expect(await ended(resumed)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
      await expect.poll(() => shelf(id), within).toBe('ACTIVE')
      await quiet()
      expect(script.told(id)).toEqual(['SUSPENDED', 'ACTIVE'])
    },
  )

  it('a move without a change of state calls no area', async () => {
    const { id, inner, to, workspace } = await branch('moves-calm')
    await nodes.move(workspace, { parent_group_id: to })
    await nodes.move(inner, { parent_group_id: to })
    await quiet()
    expect(script.callsIn(id)).toEqual([])
  })

  it('a suspended workspace that moves keeps its state', async () => {
    const { id, to, workspace } = await branch('moves-suspended')
    await ended(await nodes.change('suspend', workspace))
    await nodes.move(workspace, { parent_group_id: to })
    await quiet()
    expect(script.callsIn(id)).toHaveLength(1)
  })

  it('a new workspace is active, and takes part in later changes', async () => {
    const { from, id, tree } = await branch('makes')
    await ended(await nodes.change('suspend', from))
    const settled = gateOfTest()
    script.reconcile(id, to => to !== 'ACTIVE' || settled.isOpen())
    const resumed = await nodes.change('resume', from)
    const late = await tree.workspace('late', from.id)
    expect(await shelf(late)).toBe('ACTIVE')
    const suspended = await nodes.change('suspend', from)
    settled.open()
    expect(await ended(resumed)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
    expect(await ended(suspended)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', warnings: [] })
    expect([await shelf(late), await shelf(id)]).toEqual(['SUSPENDED', 'SUSPENDED'])
  })

  it.each([false, true])('a deleted workspace (by force: %s) is purged when no area works in it', async force => {
    const { from, id, organisation } = await branch(`deletes-${force}`)
    const held = gateOfTest()
    script.reconcile(id, async () => {
      await held.passed
      return true
    })
    const archived = await nodes.change('archive', from)
    await expect.poll(() => script.callsIn(id).length, within).toBe(1)
    const deleted = await client.deleteWorkspace({ organisation, id, force })
    const purges = () => script.callsIn(id).filter(call => call.state === undefined)
    const asked = async () =>
      (await store.find(works, { kind: force ? 'taxonomy.purge' : 'taxonomy.sweep' }))?.value.fence
    await expect.poll(asked, within).toBeGreaterThan(3)
    expect(purges()).toEqual([])
    held.open()
    await expect.poll(purges, within).toHaveLength(1)
    expect(await ended(archived)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE', errors: [] })
    expect(await ended(deleted)).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
    await quiet()
    expect(script.callsIn(id).map(call => call.state)).toEqual(['ARCHIVED', undefined])
    expect(await shelf(id)).toBeUndefined()
  })

  it('a workspace that is deleted by force gets no further state', async () => {
    const { from, id, organisation } = await branch('deletes-restored')
    const held = gateOfTest()
    script.purge(id, () => held.passed)
    await ended(await nodes.change('archive', from))
    const deleted = await client.deleteWorkspace({ organisation, id, force: true })
    const restored = await nodes.change('restore', from)
    expect(restored).toMatchObject({ status: 'TAXONOMY_OPERATION_STATUS_DONE' })
    expect(await nodes.get({ kind: 'workspace', organisation, id })).toMatchObject({
      effective_state: state('DELETING'),
      effective_state_source: { scope_type: 'TAXONOMY_SCOPE_TYPE_WORKSPACE', scope_id: id },
    })
    held.open()
    await ended(deleted)
    expect(script.told(id)).toEqual(['ARCHIVED'])
  })

  it('all nodes below may be deleted, and the node itself', async () => {
    const { from, id, inner, organisation } = await branch('deletes-all')
    const held = gateOfTest()
    script.reconcile(id, async () => {
      await held.passed
      return true
    })
    const archived = await nodes.change('archive', from)
    await expect.poll(() => script.callsIn(id).length, within).toBe(1)
    // The test waits until the cascade has recorded the workspace as busy. Otherwise the cascade could end before the
    // node is deleted.
    const checkpoint = async () => (await store.get(works, archived.id))?.value.checkpoint
    await expect.poll(checkpoint, within).toMatchObject({ busy: [id] })
    await client.deleteWorkspace({ organisation, id })
    await nodes.delete(inner)
    await nodes.delete(from)
    held.open()
    expect(await ended(archived)).toMatchObject({
      status: 'TAXONOMY_OPERATION_STATUS_DONE',
      warnings: [{ code: 7003090 }],
    })
    await quiet()
    expect(await shelf(id)).toBeUndefined()
  })
})
