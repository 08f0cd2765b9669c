import { isUuid } from '../../runtime/formats.ts'
import { isRecord } from '../../runtime/validation.ts'
import type { CallContext } from '../../runtime/context.ts'
import {
  platform,
  seenBy,
  type Authorizer,
  type AccessScopes,
  type Asked,
  type ScopeOf,
  type Sent,
} from '../ports/access.ts'
import type { Collection, Reader, Where } from '../ports/store.ts'
import { groups, organisations, workspaces } from './tree/nodes.ts'
import { quotaOverrides } from './quotas/quota-overrides-store.ts'
import { HandedWorkspace, readWorkspace } from './read-workspace.ts'
import { parentScope, fromWireScope } from './tree/scopes.ts'
import type { Scope } from '../ports/scope.ts'

/**
 * The functions that find the scope of a call on the tree, keyed by operationId (taxonomy.md §3). The scope is the node
 * itself, its parent, the parent that a body names, or the node of a quota override. A call for a node that is not in
 * the organisation of the path is authorized at that organisation (conventions §4).
 */
export const taxonomyScopes: AccessScopes = {
  getOrganisation: organisationItself,
  updateOrganisation: organisationItself,
  ...forAll(['getGroup', 'updateGroup'], itself('GROUP')),
  getWorkspace: workspaceToAnswer,
  updateWorkspace: itself('WORKSPACE'),
  ...forAll(verbs('Group'), parentOf(groups)),
  ...forAll(verbs('Workspace'), parentOf(workspaces)),
  createGroup: namedParent,
  createWorkspace: namedParent,
  getEffectiveQuota: async (reader, sent) => {
    const { scope_id, scope_type } = sent.given ?? {}
    const type = ['GROUP', 'WORKSPACE'] as const
    const asked = type.find(each => scope_type === `TAXONOMY_SCOPE_TYPE_${each}`)
    const organisation = organisationOf(sent)
    if (asked === undefined) return askedAt(reader, organisation, { type: 'ORGANISATION', id: organisation })
    return askedAt(reader, organisation, { type: asked, id: String(scope_id) })
  },
  getQuotaOverride: async (reader, { path }) => {
    const stored = await read(reader, quotaOverrides, path.get('id'))
    return {
      scope: stored && stored.quota_id === path.get('quota') ? fromWireScope(stored) : undefined,
      told: platform,
    }
  },
}

/**
 * Returns the scope of the parent that a creation or move names: the group, or the organisation if `group` is empty or
 * is no group of the organisation.
 */
export async function placeScope(reader: Reader, organisation: string, group: string): Promise<Scope> {
  const found = group === '' ? undefined : await read(reader, groups, group)
  return parentScope(organisation, found?.organisation_id === organisation ? group : '')
}

/**
 * Returns the filter for the nodes that the caller may see, in one organisation or among the organisations themselves.
 */
export async function seenNodes(access: Authorizer, context: CallContext, organisation?: string): Promise<Where> {
  const within = organisation === undefined ? {} : { within: { type: 'ORGANISATION', id: organisation } as const }
  return seenBy(await access.visible(context, context.operation?.permission ?? '', within), 'id')
}

function forAll(names: readonly string[], scope: ScopeOf): AccessScopes {
  return Object.fromEntries(names.map(name => [name, scope]))
}

function verbs(kind: 'Group' | 'Workspace'): readonly string[] {
  return ['delete', 'archive', 'move', 'restore', 'resume', 'suspend'].map(verb => verb + kind)
}

const organisationOf = ({ path }: Sent): string => path.get('organisation') ?? ''

async function organisationItself(reader: Reader, { path }: Sent): Promise<Asked> {
  const id = path.get('id') ?? ''
  return askedAt(reader, id, { type: 'ORGANISATION', id })
}

function itself(type: 'GROUP' | 'WORKSPACE'): ScopeOf {
  return (reader, sent) => askedAt(reader, organisationOf(sent), { type, id: sent.path.get('id') ?? '' })
}

/** Returns the scope of a workspace as `itself` does, and hands the workspace that was read on to the handler. */
async function workspaceToAnswer(reader: Reader, sent: Sent): Promise<Asked> {
  const organisation = organisationOf(sent)
  const told: Scope = { type: 'ORGANISATION', id: organisation }
  const id = sent.path.get('id') ?? ''
  const read = isUuid(id) ? await readWorkspace(reader, { id, organisation }) : undefined
  if (read === undefined) return askedAt(reader, organisation, told)
  return { scope: { type: 'WORKSPACE', id }, told, handedOn: new HandedWorkspace(read) }
}

/**
 * Returns the scope of a node of an organisation. If the organisation has no such node, the scope is the organisation;
 * if the organisation does not exist, the scope is undefined.
 */
async function askedAt(reader: Reader, organisation: string, node: Scope): Promise<Asked> {
  const told: Scope = { type: 'ORGANISATION', id: organisation }
  if (node.type !== 'ORGANISATION') {
    const found = await read(reader, node.type === 'GROUP' ? groups : workspaces, node.id)
    if (found?.organisation_id === organisation) return { scope: node, told }
  }
  const isThere = (await read(reader, organisations, organisation)) !== undefined
  return { scope: isThere ? told : undefined, told }
}

function parentOf(collection: typeof groups | typeof workspaces): ScopeOf {
  return async (reader, sent) => {
    const found = await read(reader, collection, sent.path.get('id'))
    const organisation = organisationOf(sent)
    const parent = found?.organisation_id === organisation ? found.parent_group_id : ''
    return askedAt(reader, organisation, parentScope(organisation, parent))
  }
}

async function namedParent(reader: Reader, sent: Sent): Promise<Asked> {
  const organisation = organisationOf(sent)
  const body = sent.given?.['body']
  const parent: unknown = isRecord(body) && Object.hasOwn(body, 'parent_group_id') ? body['parent_group_id'] : ''
  return askedAt(reader, organisation, parentScope(organisation, typeof parent === 'string' ? parent : ''))
}

/** Returns a document; undefined for text that is not an id, without a read. */
async function read<T>(reader: Reader, collection: Collection<T>, id: string | undefined): Promise<T | undefined> {
  return id !== undefined && isUuid(id) ? (await reader.get(collection, id))?.value : undefined
}
