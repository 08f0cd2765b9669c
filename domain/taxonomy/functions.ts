import { workspaceNotActive } from '../../output/shared/errors.ts'
import type { Reader, Transaction } from '../ports/store.ts'
import type { EffectiveState, Taxonomy, WorkspaceNames } from '../ports/taxonomy.ts'
import { chain, parent } from './tree/chains.ts'
import { consume, requireRoom } from './quotas/consume.ts'
import { locate } from './tree/locate.ts'
import { groups, organisations, trees, workspaces } from './tree/nodes.ts'
import { groupsBelow } from './tree/places.ts'
import { notActive, unknownWorkspace } from './tree/refusals.ts'
import { active, bareState } from './tree/states.ts'
import type { Scope } from '../ports/scope.ts'

/** The functions of taxonomy for other areas. */
export const taxonomyFunctions: Taxonomy = {
  requireActive,
  checkActive,
  share,
  effectiveState,
  parent,
  chain,
  subtree,
  namesOf,
  createTimeOf,
  workspaceNamed,
  requireRoom,
  consume,
}

async function requireActive(tx: Transaction, workspace: string): Promise<void> {
  await share(tx, { type: 'WORKSPACE', id: workspace })
  await checkActive(tx, workspace)
}

async function checkActive(reader: Reader, workspace: string): Promise<void> {
  const located = await locate(reader, { type: 'WORKSPACE', id: workspace })
  if (located === undefined) throw unknownWorkspace(workspace)
  const { source, state } = located.effective
  if (state === active) return
  throw workspaceNotActive(
    `the workspace is ${state} through ${source.type} ${source.id}; make that active first`,
    { effective_state: state, blocking_scope_type: source.type, blocking_scope_id: source.id },
    notActive(source),
  )
}

async function share(tx: Transaction, scope: Scope): Promise<void> {
  const organisation = await organisationOf(tx, scope)
  if (organisation !== undefined) await tx.share(trees, organisation)
}

async function organisationOf(reader: Reader, { id, type }: Scope): Promise<string | undefined> {
  if (type === 'PLATFORM') return undefined
  if (type === 'ORGANISATION') return id
  const stored = type === 'GROUP' ? await reader.get(groups, id) : await reader.get(workspaces, id)
  return stored?.value.organisation_id
}

async function effectiveState(reader: Reader, scope: Scope): Promise<EffectiveState | undefined> {
  const effective = (await locate(reader, scope))?.effective
  return effective && { state: bareState(effective.state), source: effective.source }
}

async function subtree(reader: Reader, scope: Scope): Promise<readonly Scope[]> {
  const located = await locate(reader, scope)
  if (located === undefined || scope.type === 'WORKSPACE') return []
  const organisation = located.organisation.id
  const groups = (await groupsBelow(reader, organisation, scope.id)).map(({ id }) => id)
  const below: Scope[] = groups.filter(id => id !== scope.id).map(id => ({ type: 'GROUP', id }))
  const parents = scope.type === 'ORGANISATION' ? ['', ...groups] : groups
  const where = { organisation_id: organisation, parent_group_id: parents }
  for await (const { id } of reader.each(workspaces, where)) below.push({ type: 'WORKSPACE', id })
  return below
}

async function namesOf(reader: Reader, id: string): Promise<WorkspaceNames | undefined> {
  const workspace = (await reader.get(workspaces, id))?.value
  const organisation = workspace && (await reader.get(organisations, workspace.organisation_id))?.value
  return organisation && { organisation: organisation.name, workspace: workspace.name }
}

async function createTimeOf(reader: Reader, id: string): Promise<string | undefined> {
  return (await reader.get(workspaces, id))?.value.create_time
}

async function workspaceNamed(reader: Reader, organisation: string, name: string): Promise<string | undefined> {
  const found = await reader.find(organisations, { name: organisation })
  return found && (await reader.find(workspaces, { organisation_id: found.id, name }))?.id
}
