import type { Group, LifecycleState, Organisation, Workspace } from '../../output/taxonomy/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { Reader, Stored } from '../ports/store.ts'
import { jsonText, withMembers } from '../resources/json-text.ts'
import type { Below } from './tree/counts.ts'
import { trees, type StoredGroup, type StoredOrganisation, type StoredWorkspace } from './tree/nodes.ts'
import { inherit, type Effective, type Place } from './tree/places.ts'
import { wireScope } from './tree/scopes.ts'
import type { Scope } from '../ports/scope.ts'

/** An organisation as it is answered: what is kept, and how much is below it. */
export async function organisationAnswer(
  reader: Reader,
  { id, text }: Stored<StoredOrganisation>,
): Promise<JsonText<Organisation>> {
  const { group_count = 0, workspace_count = 0 } = (await reader.get(trees, id))?.value ?? {}
  return withMembers(text, { group_count, workspace_count })
}

/** What is needed of a stored node to answer it: its text, and the state that is in it. */
export interface Answerable<T> {
  readonly id: string
  readonly text: JsonText<T>
  readonly state: LifecycleState
}

/** A workspace as it is answered: what is kept, and what it inherits from where it stands. */
export function workspaceAnswer({ id, state, text }: Answerable<StoredWorkspace>, place: Place): JsonText<Workspace> {
  return withMembers(text, inherited(place, state, { type: 'WORKSPACE', id }))
}

/** A group as it is answered: what is kept, what it inherits from where it stands, and how much is below it. */
export function groupAnswer({ id, state, text }: Answerable<StoredGroup>, place: Place, below: Below): JsonText<Group> {
  const { groups: group_count, workspaces: workspace_count } = below
  const counted = withMembers(text, { depth: place.depth + 1, group_count, workspace_count })
  return withMembers(counted, inherited(place, state, { type: 'GROUP', id }))
}

type Inherited = Pick<Workspace, 'ancestors' | 'effective_state' | 'effective_state_source'>

/** By the place; most nodes that stand there inherit the same. */
const inheritedTexts = new WeakMap<Place, JsonText<Inherited>>()

function inherited(place: Place, state: LifecycleState, scope: Scope): JsonText<Inherited> {
  const effective = inherit(place.effective, state, scope)
  if (effective !== place.effective) return inheritedText(place, effective)
  const known = inheritedTexts.get(place)
  if (known) return known
  const made = inheritedText(place, effective)
  inheritedTexts.set(place, made)
  return made
}

/** What all that stand at a place inherit, whatever their own state is. */
const ancestorsTexts = new WeakMap<Place, JsonText<Pick<Inherited, 'ancestors'>>>()

function inheritedText(place: Place, { source, state }: Effective): JsonText<Inherited> {
  const ancestors = ancestorsTexts.get(place) ?? jsonText({ ancestors: place.ancestors })
  ancestorsTexts.set(place, ancestors)
  return withMembers(ancestors, { effective_state: state, effective_state_source: wireScope(source) })
}
