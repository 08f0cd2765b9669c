import { workspaceNotActive, workspaceNotFound } from '../../output/shared/errors.ts'
import type { Scope } from '../ports/operations.ts'
import type { Reader, Transaction } from '../ports/store.ts'
import type { EffectiveState, Taxonomy } from '../ports/taxonomy.ts'
import { consume } from './consume.ts'
import { locate } from './locate.ts'
import { groups, organisations, trees, workspaces, type StoredGroup, type StoredWorkspace } from './nodes.ts'
import { groupsBelow } from './places.ts'
import { active, bareState } from './states.ts'

/** What other areas ask the tree. */
export const taxonomyFunctions: Taxonomy = { requireActive, share, effectiveState, parent, chain, subtree, consume }

async function requireActive(tx: Transaction, workspace: string): Promise<void> {
  const scope: Scope = { type: 'WORKSPACE', id: workspace }
  await share(tx, scope)
  const located = await locate(tx, scope)
  if (located === undefined) throw workspaceNotFound(`workspace ${workspace} does not exist`)
  const { source, state } = located.effective
  if (state === active) return
  throw workspaceNotActive(`the workspace is ${state} through ${source.type} ${source.id}`, {
    effective_state: state,
    blocking_scope_type: source.type,
    blocking_scope_id: source.id,
  })
}

async function share(tx: Transaction, scope: Scope): Promise<void> {
  const organisation = await organisationOf(tx, scope)
  if (organisation !== undefined) await tx.share(trees, organisation)
}

async function organisationOf(reader: Reader, { id, type }: Scope): Promise<string | undefined> {
  if (type === 'PLATFORM') return undefined
  if (type === 'ORGANISATION') return id
  const stored = type === 'GROUP' ? await reader.get(groups, id) : await reader.get(workspaces, id)
  return stored?.value.organisation_id
}

async function effectiveState(reader: Reader, scope: Scope): Promise<EffectiveState | undefined> {
  const effective = (await locate(reader, scope))?.effective
  return effective && { state: bareState(effective.state), source: effective.source }
}

async function parent(reader: Reader, { id, type }: Scope): Promise<Scope | undefined> {
  if (type !== 'GROUP' && type !== 'WORKSPACE') return undefined
  const node = (type === 'GROUP' ? await reader.get(groups, id) : await reader.get(workspaces, id))?.value
  return node && parentOf(node)
}

const parentOf = ({ organisation_id, parent_group_id }: StoredGroup | StoredWorkspace): Scope =>
  parent_group_id === '' ? { type: 'ORGANISATION', id: organisation_id } : { type: 'GROUP', id: parent_group_id }

/** By one read, and one more for the groups above a workspace. An organisation outlives all that is in it. */
async function chain(reader: Reader, scope: Scope): Promise<readonly Scope[] | undefined> {
  if (scope.type === 'PLATFORM') return undefined
  if (scope.type === 'ORGANISATION') return (await reader.get(organisations, scope.id)) && [scope]
  if (scope.type === 'GROUP') return groupChain(reader, scope)
  const above = await parent(reader, scope)
  const upwards = above?.type === 'GROUP' ? await groupChain(reader, above) : above && [above]
  return upwards && [scope, ...upwards]
}

async function groupChain(reader: Reader, group: Scope): Promise<readonly Scope[] | undefined> {
  const found = new Map((await reader.above(groups, 'parent_group_id', [group.id])).map(({ id, value }) => [id, value]))
  const scopes: Scope[] = []
  for (let scope = group; scope.type === 'GROUP'; scope = scopes.at(-1) ?? group) {
    const node = found.get(scope.id)
    // Each once: what is above itself, or hangs under nothing, has no chain.
    if (node === undefined || !found.delete(scope.id)) return undefined
    if (scopes.length === 0) scopes.push(group)
    scopes.push(parentOf(node))
  }
  return scopes
}

async function subtree(reader: Reader, scope: Scope): Promise<readonly Scope[]> {
  const located = await locate(reader, scope)
  if (located === undefined || scope.type === 'WORKSPACE') return []
  const organisation = located.organisation.id
  const groups = (await groupsBelow(reader, organisation, scope.id)).map(({ id }) => id)
  const below: Scope[] = groups.filter(id => id !== scope.id).map(id => ({ type: 'GROUP', id }))
  const parents = scope.type === 'ORGANISATION' ? ['', ...groups] : groups
  const where = { organisation_id: organisation, parent_group_id: parents }
  for await (const { id } of reader.each(workspaces, where)) below.push({ type: 'WORKSPACE', id })
  return below
}
