import type { TaxonomyArea } from '../../../output/taxonomy/area.ts'
import {
  groupNotFound,
  groupStateInvalid,
  organisationStateInvalid,
  workspaceStateInvalid,
} from '../../../output/taxonomy/errors.ts'
import { workspaceNotFound } from '../../../output/shared/errors.ts'
import type { LifecycleState } from '../../../output/taxonomy/types.ts'
import { groupFields, workspaceFields } from '../../../output/taxonomy/validators.ts'
import type { ApiError, DetailsWith } from '../../../runtime/errors.ts'
import type { Fields } from '../../../runtime/field-mask.ts'
import type { HeldScope } from '../../ports/iam.ts'
import type { Effect } from '../../ports/operations.ts'
import { platformWorkspaceId, systemOrganisationId } from '../../ports/reserved.ts'
import type { Collection, Stored } from '../../ports/store.ts'
import {
  groups,
  organisations,
  workspaces,
  type StoredGroup,
  type StoredOrganisation,
  type StoredWorkspace,
} from './nodes.ts'
import type { Scope } from '../../ports/scope.ts'

/** The fields that a change of state sets in a node. */
export interface StateMark {
  readonly state: LifecycleState
  readonly state_reason: string
  readonly state_change_time: string
  readonly state_changed_by: string
  readonly update_time: string
}

/** The members of a node that the rules of all three kinds need. */
export interface StoredNode {
  readonly id: string
  readonly name: string
  readonly state: LifecycleState
}

/** One of the three kinds of node: organisation, group or workspace. */
export interface NodeKind<T extends StoredNode> {
  readonly scopeType: 'ORGANISATION' | 'GROUP' | 'WORKSPACE'
  /** The noun in messages for people. */
  readonly noun: string
  readonly resourceType: TaxonomyArea['resourceType']
  readonly collection: Collection<T>
  readonly marked: (node: T, mark: StateMark) => T
  readonly stateInvalid: (
    message: string,
    metadata: { readonly current_state: string; readonly allowed_states: string },
    details: DetailsWith<'precondition' | 'resource'>,
  ) => ApiError
}

/** A node with a parent: a group or workspace. */
export interface StoredChild extends StoredNode {
  readonly parent_group_id: string
  readonly etag: string
  readonly update_time: string
}

/** A kind of node with a parent. */
export interface ChildKind<T extends StoredChild> extends NodeKind<T> {
  /** The fields that an update may name. */
  readonly fields: Fields
  /** Returns the node that a path names; throws the kind's `*_NOT_FOUND`. */
  readonly found: (stored: Stored<T> | undefined, path: ChildPath) => Stored<T>
}

/** The organisation and the node, a group or workspace, that a path names. */
export interface ChildPath {
  readonly organisation: string
  readonly id: string
}

/** The kind of organisations. */
export const organisationKind: NodeKind<StoredOrganisation> = {
  scopeType: 'ORGANISATION',
  noun: 'organisation',
  resourceType: 'taxonomy.organisations',
  collection: organisations,
  marked: (node, mark) => ({ ...node, ...mark, effective_state: mark.state }),
  stateInvalid: organisationStateInvalid,
}

/** The kind of groups. */
export const groupKind: ChildKind<StoredGroup> = {
  scopeType: 'GROUP',
  noun: 'group',
  resourceType: 'taxonomy.groups',
  collection: groups,
  fields: groupFields,
  marked: (node, mark) => ({ ...node, ...mark }),
  stateInvalid: groupStateInvalid,
  found: foundGroup,
}

/** The kind of workspaces. */
export const workspaceKind: ChildKind<StoredWorkspace> = {
  scopeType: 'WORKSPACE',
  noun: 'workspace',
  resourceType: 'taxonomy.workspaces',
  collection: workspaces,
  fields: workspaceFields,
  marked: (node, mark) => ({ ...node, ...mark }),
  stateInvalid: workspaceStateInvalid,
  found: foundWorkspace,
}

type AnyNodeKind = Pick<NodeKind<never>, 'scopeType' | 'resourceType' | 'noun' | 'stateInvalid'>

/**
 * Returns the effect of a change of a node, for the operation record; `above` begins with the organisation. The
 * operation belongs to the node itself.
 */
export function effectOn(
  { resourceType, scopeType }: AnyNodeKind,
  type: TaxonomyArea['operationType'],
  id: string,
  above: readonly Scope[],
): Effect<TaxonomyArea> & HeldScope {
  const scope: Scope = { type: scopeType, id }
  return { type, resourceType, resourceId: id, scope, chain: [...above, scope] }
}

const platformNodes: ReadonlySet<string> = new Set([systemOrganisationId, platformWorkspaceId])

/**
 * Returns the states in which a call is allowed; an empty list for a node that the platform reserves for itself
 * (conventions §3).
 */
export const unlessPlatforms = (id: string, allowed: readonly LifecycleState[]): readonly LifecycleState[] =>
  platformNodes.has(id) ? [] : allowed

/** Throws the kind's `*_STATE_INVALID` unless the state, by default the node's own state, is allowed. */
export function requireNodeState(
  { noun, resourceType, stateInvalid }: AnyNodeKind,
  node: StoredNode,
  allowed: readonly LifecycleState[],
  state: LifecycleState = node.state,
): void {
  if (allowed.includes(state)) return
  const wanted = allowed.length === 0 ? 'it belongs to the platform' : `the call needs ${allowed.join(' or ')}`
  const description = allowed.length === 0 ? 'must not be of the platform' : `the state must be ${allowed.join(' or ')}`
  throw stateInvalid(
    `${noun} ${node.name} is ${state}; ${wanted}`,
    { current_state: state, allowed_states: allowed.join(',') },
    {
      resource: { type: resourceType, name: node.id },
      precondition: [{ type: 'STATE', subject: node.id, description }],
    },
  )
}

/** Returns the group that a path names; a group of another organisation counts as absent (conventions §3). */
export function foundGroup(
  stored: Stored<StoredGroup> | undefined,
  { id, organisation }: ChildPath,
): Stored<StoredGroup> {
  if (stored?.value.organisation_id === organisation) return stored
  throw groupNotFound(`organisation ${organisation} has no group ${id}`, {
    resource: { type: 'taxonomy.groups', name: id },
  })
}

/** Returns the workspace that a path names; a workspace of another organisation counts as absent (conventions §3). */
export function foundWorkspace(
  stored: Stored<StoredWorkspace> | undefined,
  { id, organisation }: ChildPath,
): Stored<StoredWorkspace> {
  if (stored?.value.organisation_id === organisation) return stored
  throw noWorkspace({ id, organisation })
}

/** Returns the error of an absent workspace. */
export const noWorkspace = ({ id, organisation }: ChildPath): ApiError =>
  workspaceNotFound(`organisation ${organisation} has no workspace ${id}`, {
    resource: { type: 'taxonomy.workspaces', name: id },
  })
