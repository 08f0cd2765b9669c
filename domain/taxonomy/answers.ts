import type { Group, LifecycleState, Organisation, Workspace } from '../../output/taxonomy/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { Reader, Stored } from '../ports/store.ts'
import { jsonText, withMembers } from '../resources/json-text.ts'
import type { Below } from './tree/counts.ts'
import { trees, type StoredGroup, type StoredOrganisation, type StoredWorkspace } from './tree/nodes.ts'
import { inherit, type Effective, type TreePlace } from './tree/places.ts'
import { wireScope } from './tree/scopes.ts'
import type { Scope } from '../ports/scope.ts'

/** Makes the answer of an organisation: its stored members and the counts below it. */
export async function organisationAnswer(
  reader: Reader,
  { id, text }: Stored<StoredOrganisation>,
): Promise<JsonText<Organisation>> {
  const { group_count = 0, workspace_count = 0 } = (await reader.get(trees, id))?.value ?? {}
  return withMembers(text, { group_count, workspace_count })
}

/** The stored facts that the answer of a node needs: its text, and its own state. */
export interface Answerable<T> {
  readonly id: string
  readonly text: JsonText<T>
  readonly state: LifecycleState
}

/** Makes the answer of a workspace: its stored members and its inherited members. */
export function workspaceAnswer(
  { id, state, text }: Answerable<StoredWorkspace>,
  place: TreePlace,
): JsonText<Workspace> {
  return withMembers(text, inherited(place, state, { type: 'WORKSPACE', id }))
}

/** Makes the answer of a group: its stored members, its inherited members, and the counts below it. */
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

/** Cached by the place, because most nodes at a place inherit the same members. */
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

/** The members that all nodes at a place inherit, whatever their own states are. */
const ancestorsTexts = new WeakMap<TreePlace, JsonText<Pick<Inherited, 'ancestors'>>>()

function inheritedText(place: TreePlace, { source, state }: Effective): JsonText<Inherited> {
  const ancestors = ancestorsTexts.get(place) ?? jsonText({ ancestors: place.ancestors })
  ancestorsTexts.set(place, ancestors)
  return withMembers(ancestors, { effective_state: state, effective_state_source: wireScope(source) })
}
