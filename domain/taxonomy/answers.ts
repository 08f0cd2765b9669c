import type { Group, LifecycleState, Organisation, Workspace } from '../../output/taxonomy/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { Reader, Stored } from '../ports/store.ts'
import { jsonText, withMembers } from '../resources/json-text.ts'
import type { Below } from './tree/counts.ts'
import { trees, type StoredGroup, type StoredOrganisation, type StoredWorkspace } from './tree/nodes.ts'
import { inherit, type Effective, type TreePlace } from './tree/places.ts'
import { wireScope } from './tree/scopes.ts'
import type { Scope } from '../ports/scope.ts'

/** Returns an organisation as responses show it: the stored members and the numbers of descendants. */
export async function organisationAnswer(
  reader: Reader,
  { id, text }: Stored<StoredOrganisation>,
): Promise<JsonText<Organisation>> {
  const { group_count = 0, workspace_count = 0 } = (await reader.get(trees, id))?.value ?? {}
  return withMembers(text, { group_count, workspace_count })
}

/** The stored data for the response of a node: its id, its text and its own state. */
export interface Answerable<T> {
  readonly id: string
  readonly text: JsonText<T>
  readonly state: LifecycleState
}

/** Returns a workspace as responses show it: the stored members and the inherited members. */
export function workspaceAnswer(
  { id, state, text }: Answerable<StoredWorkspace>,
  place: TreePlace,
): JsonText<Workspace> {
  return withMembers(text, inherited(place, state, { type: 'WORKSPACE', id }))
}

/** Returns a group as responses show it: the stored members, the inherited members and the numbers of descendants. */
export function groupAnswer(
  { id, state, text }: Answerable<StoredGroup>,
  place: TreePlace,
  below: Below,
): JsonText<Group> {
  const { groups: group_count, workspaces: workspace_count } = below
  const counted = withMembers(text, { depth: place.depth + 1, group_count, workspace_count })
  return withMembers(counted, inherited(place, state, { type: 'GROUP', id }))
}

type Inherited = Pick<Workspace, 'ancestors' | 'effective_state' | 'effective_state_source'>

/** The texts of inherited members, cached by place, because most nodes at a place inherit the same members. */
const inheritedTexts = new WeakMap<TreePlace, JsonText<Inherited>>()

function inherited(place: TreePlace, state: LifecycleState, scope: Scope): JsonText<Inherited> {
  const effective = inherit(place.effective, state, scope)
  if (effective !== place.effective) return inheritedText(place, effective)
  const known = inheritedTexts.get(place)
  if (known) return known
  const made = inheritedText(place, effective)
  inheritedTexts.set(place, made)
  return made
}

/** The texts of the member `ancestors`, cached by place, because all nodes at a place have the same ancestors. */
const ancestorsTexts = new WeakMap<TreePlace, JsonText<Pick<Inherited, 'ancestors'>>>()

function inheritedText(place: TreePlace, { source, state }: Effective): JsonText<Inherited> {
  const ancestors = ancestorsTexts.get(place) ?? jsonText({ ancestors: place.ancestors })
  ancestorsTexts.set(place, ancestors)
  return withMembers(ancestors, { effective_state: state, effective_state_source: wireScope(source) })
}
