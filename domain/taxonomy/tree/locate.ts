import type { Reader } from '../../ports/store.ts'
import { groups, organisations, workspaces, type StoredOrganisation } from './nodes.ts'
import { inherit, placeAt, type Effective, type TreePlace } from './places.ts'
import { fromWireScope } from './scopes.ts'
import type { Scope } from '../../ports/scope.ts'

/** A node of the tree with its inherited values. */
export interface LocatedNode {
  readonly organisation: StoredOrganisation
  /** The scopes from the organisation to the node itself. */
  readonly scopes: readonly Scope[]
  readonly effective: Effective
  /** The time of the last verb that changed the node's own state; undefined if no verb has changed it. */
  readonly changed: string | undefined
}

/**
 * Returns a node of any kind with its inherited values; undefined if the node does not exist, or if its parent is
 * missing.
 */
export async function locate(reader: Reader, scope: Scope): Promise<LocatedNode | undefined> {
  switch (scope.type) {
    case 'PLATFORM':
      return undefined
    case 'ORGANISATION':
      return locateOrganisation(reader, scope.id)
    case 'GROUP': {
      const group = (await reader.get(groups, scope.id))?.value
      const located = group && (await at(reader, group.organisation_id, scope.id))
      return located && { ...located, changed: group.state_change_time }
    }
    case 'WORKSPACE':
      return locateWorkspace(reader, scope)
  }
}

async function locateOrganisation(reader: Reader, id: string): Promise<LocatedNode | undefined> {
  const located = await at(reader, id, '')
  return located && { ...located, changed: located.organisation.state_change_time }
}

async function locateWorkspace(reader: Reader, scope: Scope): Promise<LocatedNode | undefined> {
  const workspace = (await reader.get(workspaces, scope.id))?.value
  const above = workspace && (await at(reader, workspace.organisation_id, workspace.parent_group_id))
  if (!above) return undefined
  return {
    organisation: above.organisation,
    scopes: [...above.scopes, scope],
    effective: inherit(above.effective, workspace.state, scope),
    changed: workspace.state_change_time,
  }
}

/** The values that a child inherits from its parent. */
type Above = Omit<LocatedNode, 'changed'>

async function at(reader: Reader, organisationId: string, parent: string): Promise<Above | undefined> {
  const organisation = (await reader.get(organisations, organisationId))?.value
  const place = organisation && (await placeAt(reader, organisation, parent))
  return place && { organisation, scopes: scopesOf(place), effective: place.effective }
}

/** Returns the scopes from the organisation to a place. */
export const scopesOf = ({ ancestors }: TreePlace): readonly Scope[] =>
  ancestors.map(({ id, scope_type }) => fromWireScope({ scope_type, scope_id: id }))
