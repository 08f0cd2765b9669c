import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { platformWorkspaceId, systemOrganisationId } from '../../../domain/ports/reserved.ts'
import type { TaxonomyOperation } from '../../../output/taxonomy/types.ts'
import { kinds, Nodes, state, verbs, type Node, type NodeKind, type StateVerb } from './nodes-by-kind.ts'
import { treePlatform, TreeMaker } from './platform.ts'
import { RandomTree, type Step } from './random-tree.ts'

/** The purges wait for this promise, so that a forcibly deleted node stays DELETING. */
const held = Promise.withResolvers<void>()
const { client } = await treePlatform({ purge: () => held.promise })
afterAll(() => held.resolve())
const nodes = new Nodes(client)

type State = 'ACTIVE' | 'SUSPENDED' | 'ARCHIVED' | 'DELETING'
const actions = [...verbs, 'move', 'update', 'delete'] as const
type Action = (typeof actions)[number]

/**
 * The table of taxonomy.md §2, in its order: the next state of a node, keyed by action and present state. Any other
 * action is refused.
 */
const table: Readonly<Record<Action, Partial<Record<State, State | 'gone'>>>> = {
  suspend: { ACTIVE: 'SUSPENDED' },
  resume: { SUSPENDED: 'ACTIVE' },
  archive: { ACTIVE: 'ARCHIVED', SUSPENDED: 'ARCHIVED' },
  restore: { ARCHIVED: 'ACTIVE' },
  move: { ACTIVE: 'ACTIVE', SUSPENDED: 'SUSPENDED' },
  update: { ACTIVE: 'ACTIVE' },
  delete: { ARCHIVED: 'gone' },
}

/** The verbs that bring a new node into a state, keyed by the state; DELETING also needs a deletion by force. */
const ways: Readonly<Record<State, readonly StateVerb[]>> = {
  ACTIVE: [],
  SUSPENDED: ['suspend'],
  ARCHIVED: ['archive'],
  DELETING: ['archive'],
}

let made = 0

/**
 * Makes a node in a tree of its own. `parent` is the group that contains the node, and `other` the id of another group;
 * for an organisation, `parent` is the organisation itself and `other` is empty.
 */
async function nodeOf(kind: NodeKind): Promise<Node & { readonly parent: Node; readonly other: string }> {
  made += 1
  const tree = await TreeMaker.make(client, `life-${made}`)
  const { organisation } = tree
  const self: Node = { kind: 'organisation', organisation, id: organisation }
  if (kind === 'organisation') return { ...self, parent: self, other: '' }
  const parent = await tree.group('parent')
  const other = await tree.group('other')
  const id = kind === 'group' ? await tree.group('node', parent) : await tree.workspace('node', parent)
  return { kind, organisation, id, parent: { kind: 'group', organisation, id: parent }, other }
}

async function bring(node: Node, to: State): Promise<void> {
  for (const verb of ways[to]) await nodes.change(verb, node)
  if (to === 'DELETING') {
    const { id, organisation } = node
    expect(await client.deleteWorkspace({ organisation, id, force: true })).toMatchObject({ progress: 0 })
  }
}

function act(action: Action, node: Node & { readonly other: string }, etag?: string): Promise<TaxonomyOperation> {
  const precondition = etag === undefined ? {} : { etag }
  switch (action) {
    case 'move':
      return nodes.move(node, { parent_group_id: node.other, ...precondition })
    case 'update':
      return nodes.update(node, { display_name: 'Changed', ...precondition })
    case 'delete':
      return nodes.delete(node, etag)
    default:
      return nodes.change(action, node, precondition)
  }
}

const actionsOf = (kind: NodeKind): readonly Action[] =>
  actions.filter(action => kind !== 'organisation' || action !== 'move')

const statesOf = (kind: NodeKind): readonly State[] =>
  kind === 'workspace'
    ? ['ACTIVE', 'SUSPENDED', 'ARCHIVED', 'DELETING']
    : (['ACTIVE', 'SUSPENDED', 'ARCHIVED'] as const)

const cases = kinds.flatMap(kind =>
  actionsOf(kind).flatMap(action => statesOf(kind).map(from => ({ kind, action, from, to: table[action][from] }))),
)

const invalid = (kind: NodeKind) => `${kind.toUpperCase()}_STATE_INVALID`

describe.each(kinds)('an %s', kind => {
  it.each(cases.filter(each => each.kind === kind))(
    'in the state $from responds to $action with $end',
    async ({ action, from, to }) => {
      const node = await nodeOf(kind)
      await bring(node, from)
      if (to === undefined) {
        await expect(act(action, node)).rejects.toMatchObject({
          reason: invalid(kind),
          rpc: 'FAILED_PRECONDITION',
          metadata: {
            current_state: state(from),
            allowed_states: Object.keys(table[action]).map(state).join(','),
          },
        })
        expect(await nodes.get(node)).toMatchObject({ state: state(from) })
        return
      }
      const operation = await act(action, node)
      const isFollowed = kind === 'workspace' && from !== to && to !== 'gone'
      expect(operation).toMatchObject({
        status: `TAXONOMY_OPERATION_STATUS_${isFollowed ? 'PENDING' : 'DONE'}`,
        operation_type: `TAXONOMY_OPERATION_TYPE_${action.toUpperCase()}`,
        resource_id: node.id,
        resource_type: `taxonomy.${kind}s`,
        scope_type: `TAXONOMY_SCOPE_TYPE_${kind.toUpperCase()}`,
        scope_id: node.id,
      })
      if (to === 'gone') await expect(nodes.get(node)).rejects.toMatchObject({ rpc: 'NOT_FOUND' })
      else expect(await nodes.get(node)).toMatchObject({ state: state(to), effective_state: state(to) })
    },
  )

  it('returns to SUSPENDED if it was archived there', async () => {
    const node = await nodeOf(kind)
    for (const verb of ['suspend', 'archive', 'restore'] as const) await nodes.change(verb, node)
    expect(await nodes.get(node)).toMatchObject({ state: state('SUSPENDED') })
    for (const verb of ['resume', 'archive', 'restore'] as const) await nodes.change(verb, node)
    expect(await nodes.get(node)).toMatchObject({ state: state('ACTIVE') })
  })

  it('shows the reason, the time and the author of its last state change', async () => {
    const node = await nodeOf(kind)
    const before = await nodes.get(node)
    expect(before).toMatchObject({ state_reason: '', state_changed_by: '' })
    expect(before).not.toHaveProperty('state_change_time')
    for (const [i, verb] of (['suspend', 'resume', 'archive', 'restore'] as const).entries()) {
      const reason = i % 2 === 0 ? `because of ${verb}` : ''
      const { insert_time, principal_id } = await nodes.change(verb, node, i % 2 === 0 ? { reason } : {})
      expect(await nodes.get(node)).toMatchObject({
        state_reason: reason,
        state_changed_by: principal_id,
        state_change_time: insert_time,
        update_time: insert_time,
      })
    }
  })

  it('reports a wrong etag before any fault of its state', async () => {
    const node = await nodeOf(kind)
    await nodes.change('suspend', node.parent)
    for (const action of actionsOf(kind)) {
      await expect(act(action, node, 'wrong')).rejects.toMatchObject({ reason: 'ETAG_MISMATCH', rpc: 'ABORTED' })
    }
    await nodes.change('resume', node.parent)
    const { etag } = await nodes.get(node)
    expect(await act('update', node, etag)).toMatchObject({ progress: 100 })
    await expect(act('suspend', node, etag)).rejects.toMatchObject({ reason: 'ETAG_MISMATCH' })
    expect(await act('archive', node, (await nodes.get(node)).etag)).toMatchObject({ resource_id: node.id })
  })

  it('returns the present operation for a repeated key, and changes nothing', async () => {
    const node = await nodeOf(kind)
    const key = (name: string) => ({ idempotencyKey: `${node.id}-${name}` })
    const suspended = await nodes.change('suspend', node, { reason: 'once' }, key('suspend'))
    await nodes.change('resume', node, {}, key('resume'))
    const before = await nodes.get(node)
    const again = await nodes.change('suspend', node, { reason: 'once' }, key('suspend'))
    expect(again).toMatchObject({ id: suspended.id, insert_time: suspended.insert_time })
    expect(await nodes.get(node)).toEqual(before)
    const other = nodes.change('suspend', node, { reason: 'twice' }, key('suspend'))
    await expect(other).rejects.toMatchObject({ reason: 'IDEMPOTENCY_KEY_REUSED' })

    await nodes.change('archive', node)
    const deleted = await nodes.delete(node, undefined, key('delete'))
    expect(await nodes.delete(node, undefined, key('delete'))).toEqual(deleted)
    await expect(nodes.delete(node)).rejects.toMatchObject({ rpc: 'NOT_FOUND' })
  })

  it('does not remember a refused call under its key', async () => {
    const node = await nodeOf(kind)
    const key = { idempotencyKey: `${node.id}-resume` }
    await expect(nodes.change('resume', node, {}, key)).rejects.toMatchObject({ reason: invalid(kind) })
    await nodes.change('suspend', node)
    expect(await nodes.change('resume', node, {}, key)).toMatchObject({ resource_id: node.id })
  })
})

describe.each(['group', 'workspace'] as const)('a %s below', kind => {
  it.each(statesOf(kind))(
    'a suspended parent reports PARENT_NOT_ACTIVE before a fault of its own state %s',
    async from => {
      const node = await nodeOf(kind)
      await bring(node, from)
      await nodes.change('suspend', { ...node.parent, kind: 'organisation', id: node.organisation })
      for (const action of actions.filter(each => each !== 'delete')) {
        await expect(act(action, node)).rejects.toMatchObject({
          reason: 'PARENT_NOT_ACTIVE',
          metadata: {
            effective_state: state('SUSPENDED'),
            scope_type: 'ORGANISATION',
            scope_id: node.organisation,
          },
        })
      }
    },
  )

  it.each(statesOf(kind))('an active parent cannot move to an inactive parent, in its own state %s', async from => {
    const node = await nodeOf(kind)
    await bring(node, from)
    await nodes.change('archive', { kind: 'group', organisation: node.organisation, id: node.other })
    await expect(act('move', node)).rejects.toMatchObject({
      reason: 'PARENT_NOT_ACTIVE',
      metadata: { effective_state: state('ARCHIVED'), scope_type: 'GROUP', scope_id: node.other },
    })
  })

  it.each(['ACTIVE', 'SUSPENDED'] as const)('an archived parent can be deleted in its own state %s', async from => {
    const node = await nodeOf(kind)
    await bring(node, from)
    await nodes.change('suspend', node.parent)
    await expect(nodes.delete(node)).rejects.toMatchObject({
      reason: invalid(kind),
      metadata: { current_state: state('SUSPENDED'), allowed_states: state('ARCHIVED') },
    })
    await nodes.change('archive', node.parent)
    expect(await nodes.delete(node)).toMatchObject({ progress: 100 })
  })

  it('a suspended parent can be deleted if it is archived itself', async () => {
    const node = await nodeOf(kind)
    await bring(node, 'ARCHIVED')
    await nodes.change('suspend', node.parent)
    expect(await nodes.delete(node)).toMatchObject({ progress: 100 })
  })
})

describe('a node of the platform', () => {
  const organisation: Node = { kind: 'organisation', organisation: systemOrganisationId, id: systemOrganisationId }
  const workspace: Node = { kind: 'workspace', organisation: systemOrganisationId, id: platformWorkspaceId }

  it.each([organisation, workspace])('cannot be suspended, archived, moved and deleted: $kind', async node => {
    for (const action of actionsOf(node.kind).filter(each => each !== 'update')) {
      const allowed = action === 'resume' || action === 'restore' ? Object.keys(table[action]).map(state).join(',') : ''
      await expect(act(action, { ...node, other: '' })).rejects.toMatchObject({
        reason: invalid(node.kind),
        metadata: { current_state: state('ACTIVE'), allowed_states: allowed },
      })
    }
    const { id } = workspace
    await expect(client.deleteWorkspace({ organisation: systemOrganisationId, id, force: true })).rejects.toMatchObject(
      { reason: 'WORKSPACE_STATE_INVALID' },
    )
  })

  it('can be described again', async () => {
    for (const node of [organisation, workspace]) {
      expect(await nodes.update(node, { display_name: 'Ours' })).toMatchObject({ progress: 100 })
      expect(await nodes.get(node)).toMatchObject({ display_name: 'Ours' })
    }
  })
})

describe('a change of state anywhere in a tree', () => {
  const steps = fc.array(fc.record<Step>({ node: fc.nat(), verb: fc.constantFrom(...verbs) }), {
    minLength: 30,
    maxLength: 40,
  })
  const shape = fc.record({
    groups: fc.array(fc.nat(), { minLength: 3, maxLength: 7 }),
    workspaces: fc.array(fc.nat(), { minLength: 3, maxLength: 7 }),
  })

  it('is PENDING exactly if it changes the effective state of a workspace, and is visible in all nodes below', async () => {
    let changes = 0
    let pending = 0
    const property = fc.asyncProperty(shape, steps, async (tree, walk) => {
      made += 1
      const random = await RandomTree.grow(client, `random-${made}`, tree)
      for (const step of walk) {
        const { answered, expected } = await random.take(step)
        expect(answered).toEqual(expected)
        if ('isPending' in expected) changes += 1
        if ('isPending' in expected && expected.isPending) pending += 1
      }
      expect(await random.shown()).toEqual(random.expected())
    })
    await fc.assert(property, { numRuns: 20 })
    expect(Math.min(pending, changes - pending)).toBeGreaterThan(5)
  })
})
