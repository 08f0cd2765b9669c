import type { ApiError, DetailsWith } from '../../runtime/errors.ts'
import type { Reader, Where } from '../ports/store.ts'
import { groups, workspaces } from './tree/nodes.ts'

/** Throws the error `notEmpty` if `where`, which selects the children of a node, matches a group or workspace. */
export async function requireEmpty(
  reader: Reader,
  where: Where,
  { id, name }: { readonly id: string; readonly name: string },
  notEmpty: (message: string, details: DetailsWith<'precondition'>) => ApiError,
): Promise<void> {
  const children = [
    { type: 'taxonomy.groups', count: await reader.count(groups, where) },
    { type: 'taxonomy.workspaces', count: await reader.count(workspaces, where) },
  ].filter(({ count }) => count > 0)
  if (children.length === 0) return
  throw notEmpty(`${name} is not empty; first delete the groups and workspaces below it`, {
    precondition: children.map(({ count, type }) => ({ type, subject: id, description: `${count} left` })),
  })
}
