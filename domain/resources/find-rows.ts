import { workspaceNotFound } from '../../output/shared/errors.ts'
import { atField } from '../../runtime/errors.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { Reader, Stored, Transaction } from '../ports/store.ts'
import type { Taxonomy } from '../ports/taxonomy.ts'
import {
  targetIdOf,
  workspaceScope,
  type AnyKind,
  type Kind,
  type Place,
  type Reference,
  type RowPath,
} from './kind.ts'
import { addReference } from './references.ts'
import type { Row } from './row.ts'

/** The part of taxonomy that distinguishes an absent workspace from an absent row. */
type Tree = Pick<Taxonomy, 'chain'>

/**
 * Returns the id of the row that a path names by its id or, if the kind allows names, by its name; `engine` is the
 * engine of the path. An id is not looked up; for a name that no row has, the result is undefined.
 */
export async function idOf<T extends Row>(
  reader: Reader,
  kind: Kind<T>,
  idOrName: string,
  engine?: string,
): Promise<string | undefined> {
  return !kind.isNamed || isUuid(idOrName) ? idOrName : kind.idNamed(reader, idOrName, engine)
}

/**
 * Returns whether a row lies at the place of a path. A row of another workspace or engine counts as absent (conventions
 * §3).
 */
export const isAt = ({ engine, workspace_id }: Row, place: Place): boolean =>
  workspace_id === place.workspace && (place.engine === undefined || engine === place.engine)

/**
 * Returns `stored` if it is the row that a path names (conventions §4, step 7). Otherwise throws WORKSPACE_NOT_FOUND if
 * the workspace of the path is absent, the parent's `*_NOT_FOUND` if the parent is absent, and else the kind's own
 * error.
 */
export async function requireFound<T extends Row>(
  reader: Reader,
  tree: Tree,
  kind: Kind<T>,
  path: RowPath,
  stored: Stored<T> | undefined,
): Promise<Stored<T>> {
  const { parent } = kind
  const parentId = parent && parameterOf(path, parent.parameter)
  if (stored && isAt(stored.value, path) && (!parent || stored.value[parent.member] === parentId)) return stored
  await requirePlace(reader, tree, kind, path, parentId)
  const above = parent ? `${parent.kind.noun} ${parentId?.slice(0, 80)}` : placeName(path)
  throw kind.notFound(`${above} has no ${kind.noun} ${path.id.slice(0, 80)}`, {
    resource: { type: kind.type, name: path.id },
  })
}

/** Throws WORKSPACE_NOT_FOUND or the parent's `*_NOT_FOUND` unless the place of a path exists. */
export async function requirePlace<T extends Row>(
  reader: Reader,
  tree: Tree,
  { parent }: Kind<T>,
  place: Place,
  parentId = '',
): Promise<void> {
  if (place.workspace !== undefined) await requireWorkspace(reader, tree, place.workspace)
  if (parent) await requireParent(reader, parent.kind, place, parentId)
}

/** Throws WORKSPACE_NOT_FOUND unless the workspace exists. */
export async function requireWorkspace(reader: Reader, tree: Tree, workspace: string): Promise<void> {
  if (isUuid(workspace) && (await tree.chain(reader, workspaceScope(workspace)))) return
  throw absentWorkspace(workspace)
}

/** The error of a path that names no workspace. */
export const absentWorkspace = (workspace: string): Error =>
  workspaceNotFound(`workspace ${workspace.slice(0, 80)} does not exist`, {
    resource: { type: 'taxonomy.workspaces', name: workspace },
  })

async function requireParent(reader: Reader, kind: AnyKind, path: Place, id: string): Promise<void> {
  const row = await kind.facts(reader, id)
  if (row && isAt(row, path)) return
  throw kind.notFound(`${placeName(path)} has no ${kind.noun} ${id.slice(0, 80)}`, {
    resource: { type: kind.type, name: id },
  })
}

/**
 * Shares or locks the targets of a new row's references, and records the references (conventions §4, step 12). If a
 * target is absent, throws the error `absent` of the reference at its field.
 */
export async function makeReferences<T extends Row>(tx: Transaction, kind: Kind<T>, row: T): Promise<void> {
  for (const reference of kind.references ?? []) {
    const named = row[reference.member]
    if (typeof named !== 'string' || named === '') continue
    const id = await requireTarget(tx, reference, row, named)
    await addReference(tx, { type: reference.target.type, id }, { type: kind.type, id: row.id })
  }
}

/** Locks the targets of a row's references, in the order of `references`. */
export async function lockTargets<T extends Row>(
  tx: Transaction,
  references: readonly Reference<T>[],
  row: T,
): Promise<void> {
  for (const reference of references) {
    const named = row[reference.member]
    const id = typeof named === 'string' && named !== '' ? await targetIdOf(tx, reference, named) : undefined
    if (id !== undefined) await reference.target.hold(tx, id, 'lock')
  }
}

/** Returns the workspace and the engine of a row, as a path names them. */
export const placeOf = ({ engine, workspace_id: workspace }: Row): Place => ({
  ...(workspace !== undefined && { workspace }),
  ...(engine !== undefined && { engine }),
})

/**
 * Shares or locks the target that a member names, and returns the target's id. Throws `absent` at the field if no such
 * row lies at the place of the row or at the platform.
 */
async function requireTarget<T extends Row>(
  tx: Transaction,
  reference: Reference<T>,
  row: T,
  named: string,
): Promise<string> {
  const { absent, hold = 'share', member, target } = reference
  const id = await targetIdOf(tx, reference, named)
  const found = id === undefined ? undefined : await target.hold(tx, id, hold)
  const place = placeOf(row)
  if (found && (found.workspace_id === undefined || isAt(found, place))) return found.id
  const error = absent(`${placeName(place)} has no ${target.noun} ${named.slice(0, 80)}`, {
    resource: { type: target.type, name: named },
  })
  throw atField(error, member)
}

const placeName = ({ workspace }: Place): string =>
  workspace === undefined ? 'the platform' : `workspace ${workspace.slice(0, 80)}`

/** Returns the workspace and the engine that the path of a request names. */
export function placeIn(request: object): Place {
  const [workspace, engine] = [parameterOf(request, 'workspace'), parameterOf(request, 'engine')]
  return { ...(workspace !== '' && { workspace }), ...(engine !== '' && { engine }) }
}

/**
 * Returns the value of a path parameter, which the router has put into the request; empty if the path lacks the
 * parameter.
 */
export function parameterOf(path: object, name: string): string {
  const value: unknown = Object.hasOwn(path, name) ? Reflect.get(path, name) : undefined
  return typeof value === 'string' ? value : ''
}
