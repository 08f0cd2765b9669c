import type { Reader } from '../../ports/store.ts'
import { groups, organisations, workspaces, type StoredGroup, type StoredWorkspace } from './nodes.ts'
import type { Scope } from '../../ports/scope.ts'

/** Returns the parent of a group or workspace (`Taxonomy.parent`). */
export async function parent(reader: Reader, { id, type }: Scope): Promise<Scope | undefined> {
  if (type !== 'GROUP' && type !== 'WORKSPACE') return undefined
  const node = (type === 'GROUP' ? await reader.get(groups, id) : await reader.get(workspaces, id))?.value
  return node && parentOf(node)
}

const parentOf = ({ organisation_id, parent_group_id }: StoredGroup | StoredWorkspace): Scope =>
  parent_group_id === '' ? { type: 'ORGANISATION', id: organisation_id } : { type: 'GROUP', id: parent_group_id }

/**
 * Returns the scopes from a node up to its organisation (`Taxonomy.chain`): one read, and for a workspace in a group a
 * second read for its groups. An organisation outlives its nodes, so its row is not read for them.
 */
export async function chain(reader: Reader, scope: Scope): Promise<readonly Scope[] | undefined> {
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
    // A damaged node that is its own ancestor, or has no parent, has no chain.
    if (node === undefined || !found.delete(scope.id)) return undefined
    if (scopes.length === 0) scopes.push(group)
    scopes.push(parentOf(node))
  }
  return scopes
}
