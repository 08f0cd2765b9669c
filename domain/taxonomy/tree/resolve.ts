import type { Reader } from '../../ports/store.ts'
import { groups, organisations, workspaces } from './nodes.ts'
import type { Scope } from '../../ports/scope.ts'

interface Resolved {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The scope of the node itself. */
  readonly scope: Scope
}

/**
 * Returns the name and labels of a node, for the matching of policies; undefined if the node does not exist
 * (conventions §14).
 */
export async function resolveTaxonomy(reader: Reader, type: string, id: string): Promise<Resolved | undefined> {
  if (type === 'taxonomy.organisations') return at('ORGANISATION', (await reader.get(organisations, id))?.value)
  if (type === 'taxonomy.groups') return at('GROUP', (await reader.get(groups, id))?.value)
  if (type === 'taxonomy.workspaces') return at('WORKSPACE', (await reader.get(workspaces, id))?.value)
  return undefined
}

const at = (
  type: Scope['type'],
  node: (Omit<Resolved, 'scope'> & { readonly id: string }) | undefined,
): Resolved | undefined => node && { name: node.name, labels: node.labels, scope: { type, id: node.id } }
