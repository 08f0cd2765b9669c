import { workspaceNotFound } from '../../output/shared/errors.ts'
import { atField } from '../../runtime/errors.ts'
import { isUuid } from '../../runtime/formats.ts'
import { sharedWhere, type Reader, type Stored, type Transaction, type Where } from '../ports/store.ts'
import type { Taxonomy } from '../ports/taxonomy.ts'
import { workspaceScope, type AnyKind, type Kind, type Place, type Reference, type Row, type RowPath } from './kind.ts'
import { addReference } from './references.ts'

/** What is asked to tell an absent workspace from an absent row. */
type Tree = Pick<Taxonomy, 'chain'>

type Named = Row & { readonly name: string }

/** The id that a path names, by the name of the row where the kind allows it; undefined when nothing has the name. */
export async function idOf<T extends Row>(
  reader: Reader,
  { collection, isNamed = false }: Kind<T>,
  idOrName: string,
): Promise<string | undefined> {
  if (!isNamed || isUuid(idOrName)) return idOrName
  return (await reader.find(collection, sharedWhere(collection, { name: idOrName } satisfies Where<Named>)))?.id
}

/** Whether a row lies where a path says; a row of another workspace or engine is an absent one (conventions §3). */
export const isAt = ({ engine, workspace_id }: Row, place: Place): boolean =>
  workspace_id === place.workspace && (place.engine === undefined || engine === place.engine)

/**
 * The row that a path names, after its parent (conventions §4, step 7). Throws WORKSPACE_NOT_FOUND when the workspace of
 * the path is absent, the parent's `*_NOT_FOUND` when the parent is, else the kind's own.
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

/** Throws WORKSPACE_NOT_FOUND, or the `*_NOT_FOUND` of the parent, unless the place that a path names is there. */
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

/** Throws WORKSPACE_NOT_FOUND. */
export async function requireWorkspace(reader: Reader, tree: Tree, workspace: string): Promise<void> {
  if (isUuid(workspace) && (await tree.chain(reader, workspaceScope(workspace)))) return
  throw workspaceNotFound(`workspace ${workspace.slice(0, 80)} does not exist`, {
    resource: { type: 'taxonomy.workspaces', name: workspace },
  })
}

async function requireParent(reader: Reader, kind: AnyKind, path: Place, id: string): Promise<void> {
  const row = await kind.facts(reader, id)
  if (row && isAt(row, path)) return
  throw kind.notFound(`${placeName(path)} has no ${kind.noun} ${id.slice(0, 80)}`, {
    resource: { type: kind.type, name: id },
  })
}

/** Holds and records what a new row refers to (conventions §4, step 12). Throws the reference's error at its field. */
export async function makeReferences<T extends Row>(tx: Transaction, kind: Kind<T>, row: T): Promise<void> {
  for (const reference of kind.references ?? []) {
    const id = row[reference.member]
    if (typeof id !== 'string' || id === '') continue
    await requireTarget(tx, reference, row, id)
    await addReference(tx, { type: reference.target.type, id }, { type: kind.type, id: row.id })
  }
}

/** Locks the rows that a row refers to by these references, in the order given. */
export async function lockTargets<T extends Row>(
  tx: Transaction,
  references: readonly Reference<T>[],
  row: T,
): Promise<void> {
  for (const { member, target } of references) {
    const id = row[member]
    if (typeof id === 'string' && id !== '') await target.hold(tx, id, 'lock')
  }
}

/** The place of a row that is to be written. */
export const placeOf = ({ engine, workspace_id: workspace }: Row): Place => ({
  ...(workspace !== undefined && { workspace }),
  ...(engine !== undefined && { engine }),
})

async function requireTarget<T extends Row>(
  tx: Transaction,
  { absent, hold = 'share', member, target }: Reference<T>,
  row: T,
  id: string,
): Promise<void> {
  const found = await target.hold(tx, id, hold)
  const place = placeOf(row)
  if (found && (found.workspace_id === undefined || isAt(found, place))) return
  const error = absent(`${placeName(place)} has no ${target.noun} ${id.slice(0, 80)}`, {
    resource: { type: target.type, name: id },
  })
  throw atField(error, member)
}

const placeName = ({ workspace }: Place): string =>
  workspace === undefined ? 'the platform' : `workspace ${workspace.slice(0, 80)}`

/** The place that a request names by its path. */
export function placeIn(request: object): Place {
  const [workspace, engine] = [parameterOf(request, 'workspace'), parameterOf(request, 'engine')]
  return { ...(workspace !== '' && { workspace }), ...(engine !== '' && { engine }) }
}

/** The value of a path parameter of a request, which the router has found there. */
export function parameterOf(path: object, name: string): string {
  const value: unknown = Object.hasOwn(path, name) ? Reflect.get(path, name) : undefined
  return typeof value === 'string' ? value : ''
}
