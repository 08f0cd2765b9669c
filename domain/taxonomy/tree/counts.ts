import type { Reader } from '../../ports/store.ts'
import { workspaces } from './nodes.ts'
import { groupsIn } from './places.ts'

/** The numbers of descendants of a group. */
export interface Below {
  readonly groups: number
  readonly workspaces: number
}

/** Counts the descendants of groups of an organisation; the result is keyed by the ids of the groups. */
export async function countsBelow(
  reader: Reader,
  organisation: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Below>> {
  const found = await groupsIn(reader, ids)
  const parents = found.map(({ id }) => id)
  const where = { organisation_id: organisation, parent_group_id: parents }
  const held = await reader.tally(workspaces, 'parent_group_id', where)
  const children = Map.groupBy(found, ({ parent_group_id }) => parent_group_id)
  const counts = new Map<string, Below>()
  const count = (id: string): Below => {
    const known = counts.get(id)
    if (known) return known
    const below = (children.get(id) ?? []).map(child => count(child.id))
    const made = {
      groups: below.reduce((sum, { groups }) => sum + groups + 1, 0),
      workspaces: below.reduce((sum, each) => sum + each.workspaces, held.get(id) ?? 0),
    }
    counts.set(id, made)
    return made
  }
  return new Map(ids.map(id => [id, count(id)]))
}
