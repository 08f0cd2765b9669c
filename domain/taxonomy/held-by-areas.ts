import { workspaceNotEmpty, workspaceProtected } from '../../output/taxonomy/errors.ts'
import type { Reader } from '../ports/store.ts'
import type { WorkspaceHooks } from '../ports/taxonomy.ts'
import type { StoredWorkspace } from './tree/nodes.ts'

type Named = Pick<StoredWorkspace, 'id' | 'name'>

/**
 * Throws WORKSPACE_NOT_EMPTY, with the count of each resource type, if areas have resources other than initial rows in
 * a workspace.
 */
export async function requireNothingHeld(
  reader: Reader,
  areas: readonly WorkspaceHooks[],
  { id, name }: Named,
): Promise<void> {
  const held = []
  for (const area of areas) held.push(...((await area.holdings?.(reader, id)) ?? []))
  const some = held.filter(({ count }) => count > 0)
  if (some.length === 0) return
  throw workspaceNotEmpty(`workspace ${name} is not empty; delete its resources, or force the deletion`, {
    precondition: some.map(({ count, resourceType: type }) => ({ type, subject: id, description: `${count} left` })),
  })
}

/** Throws WORKSPACE_PROTECTED, with the protected resources, if areas protect resources of a workspace from a purge. */
export async function requireNothingProtected(
  reader: Reader,
  areas: readonly WorkspaceHooks[],
  { id, name }: Named,
): Promise<void> {
  const found = []
  for (const area of areas) found.push(...((await area.protections?.(reader, id)) ?? []))
  if (found.length === 0) return
  throw workspaceProtected(
    `workspace ${name} has protected resources; restore the workspace and lift the protections`,
    {
      precondition: found.map(each => ({ type: each.resourceType, subject: each.id, description: each.reason })),
    },
  )
}
