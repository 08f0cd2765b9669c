import type { ApiError, ErrorDetails } from '../../runtime/errors.ts'
import type { Fields } from '../../runtime/field-mask.ts'
import { isRecord } from '../../runtime/validation.ts'
import { sharedWhere, type Collection, type Reader, type Stored, type Transaction, type Where } from '../ports/store.ts'
import type { Amount, Taxonomy } from '../ports/taxonomy.ts'
import { forgetRow, type Target } from './references.ts'
import { takeDifference } from './quota-difference.ts'
import type { StateTable } from './states.ts'
import type { Scope } from '../ports/scope.ts'
import type { Row } from './row.ts'

/** A row that callers create, change and delete; it has the standard fields of conventions §2. */
export interface Resource extends Row {
  readonly etag: string
  /** Absent if the platform created the row at its first start. */
  readonly create_time?: string
  readonly update_time: string
}

/** Makes the error of a reason; the generated constructors have this shape. */
export type MakeError = (message: string, details?: ErrorDetails) => ApiError

/** A member that names a row of another kind (conventions §3). */
export interface Reference<T> {
  /** The member that holds the id of the target, or its name (`by`); an unset member names no target. */
  readonly member: keyof T & string
  /**
   * `name`: the member holds the `name` of the target, which must be a column and unique over the platform, and must
   * never change. The table of references keeps the id of the target. `id` by default.
   */
  readonly by?: 'id' | 'name'
  readonly target: AnyKind
  /** The error of the called area if the body names an absent row; it becomes INVALID_ARGUMENT at the field. */
  readonly absent: MakeError
  /**
   * The lock on the target while the reference is made, `share` by default. `lock` is for kinds whose calls change the
   * target too, for example a count in its row. Every change and the deletion of the row then lock the target first.
   */
  readonly hold?: Hold
}

/** The parent that paths of a kind name between the engine and the id. */
export interface ParentOf<T> {
  /** The member of the child that holds the id of the parent. */
  readonly member: keyof T & string
  /** The parameter of the path: `firewall_policy`. */
  readonly parameter: string
  readonly kind: AnyKind
  /**
   * The lock on the parent during mutations of the child: `lock` if they change the parent or count its children,
   * `share` by default.
   */
  readonly hold?: Hold
}

/** The lock of a transaction on a row: `lock` excludes all other transactions, `share` only those that lock the row. */
export type Hold = 'lock' | 'share'

/** The declaration of a kind. */
export interface KindDeclaration<T extends Row> {
  /** The type in operations, errors, permissions, holdings and references: `network.vpcs`. */
  readonly type: string
  /** The noun in messages for people: `VPC`. */
  readonly noun: string
  readonly collection: Collection<T>
  /** The generated rules of the fields; absent if callers cannot change a row. */
  readonly fields?: Fields
  readonly notFound: MakeError
  /** The error for the deletion of a row that other rows refer to; absent if no kind refers to this kind. */
  readonly inUse?: MakeError
  readonly parent?: ParentOf<T>
  readonly references?: readonly Reference<T>[]
  readonly states?: StateTable<T>
  /**
   * The amounts that a row of a workspace takes of the quotas of taxonomy. They are taken at the creation, follow each
   * change of the row, and are given back at its deletion, also by a purge.
   */
  readonly takes?: (row: T) => readonly Amount[]
  /** Whether paths may name a row of the platform by its unique `name` instead of its id (conventions §3). */
  readonly isNamed?: boolean
  /** Whether users create the rows, so that they count among the holdings of a workspace; true by default. */
  readonly isHolding?: boolean
  /** The scope of a row, if it is neither the workspace of `workspace_id` nor, without one, the platform. */
  readonly scopeOf?: (row: T) => Scope
}

/** The facts of a row of any kind. */
export interface RowFacts extends Row {
  /** Empty if the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** A reference from a row to another row, as a member of the holder states it. */
export interface Use {
  readonly holder: Target
  readonly target: Target
}

/** A kind without the type of its rows: the operations that are possible for rows of every kind. */
export interface AnyKind {
  readonly type: string
  readonly noun: string
  readonly notFound: MakeError
  readonly isHolding: boolean
  /** Whether the rows lie in workspaces. */
  readonly isOfWorkspace: boolean
  /** The members that name rows of other kinds, by their ids or by their names. */
  readonly targets: readonly { readonly member: string; readonly target: AnyKind; readonly by?: 'id' | 'name' }[]
  /** Whether paths may name a row of the platform by its unique `name` instead of its id. */
  readonly isNamed?: boolean
  /** The parent that paths of the kind name, and the member that holds its id. */
  readonly parent?: { readonly member: string; readonly kind: AnyKind }
  /** The collection, for the store alone. */
  readonly collection: Collection<never>
  facts(reader: Reader, id: string): Promise<RowFacts | undefined>
  /** Returns the id of the row with this name; undefined if there is none. `name` must be a column of the kind. */
  idNamed(reader: Reader, name: string): Promise<string | undefined>
  hold(tx: Transaction, id: string, how: Hold): Promise<RowFacts | undefined>
  countIn(reader: Reader, workspace: string): Promise<number>
  /**
   * Deletes up to `limit` rows of a workspace with all references from and to them, and gives back their amounts of
   * quotas. Returns the number of deleted rows.
   */
  purgeIn(tx: Transaction, taxonomy: Pick<Taxonomy, 'consume'>, workspace: string, limit: number): Promise<number>
  /** Iterates over all references in the members of the kind's rows. */
  uses(reader: Reader): AsyncGenerator<Use, void, undefined>
}

/** A kind of resource, declared once. Its calls, holdings, purge, references and look-ups follow from it. */
export type Kind<T extends Row> = KindDeclaration<T> & Omit<AnyKind, 'collection' | 'isNamed' | 'parent'>

/** The place of a row in a path. */
export interface Place {
  readonly workspace?: string
  readonly engine?: string
}

/** A row in a path. */
export interface RowPath extends Place {
  readonly id: string
}

/** Makes a kind from its declaration. */
export function defineKind<T extends Row, const Type extends string>(
  declaration: KindDeclaration<T> & { readonly type: Type },
): Kind<T> & { readonly type: Type } {
  const { collection, isHolding = true, references: made = [], type } = declaration
  const factsOf = (stored: Stored<T> | undefined): RowFacts | undefined =>
    stored && { ...named(stored.value), scope: scopeOfRow(declaration, stored.value) }
  return {
    ...declaration,
    isHolding,
    targets: made,
    isOfWorkspace: Object.hasOwn(collection.columns ?? {}, 'workspace_id'),
    facts: async (reader, id) => factsOf(await reader.get(collection, id)),
    idNamed: async (reader, name) =>
      (await reader.find(collection, sharedWhere(collection, { name } satisfies Where<NamedRow>)))?.id,
    hold: async (tx, id, how) => factsOf(await tx[how](collection, id)),
    countIn: (reader, workspace) =>
      reader.count(collection, sharedWhere(collection, { workspace_id: workspace } satisfies Where<Row>)),
    async purgeIn(tx, taxonomy, workspace, limit) {
      let count = 0
      const taken: Amount[] = []
      for await (const { id, value, version } of tx.each(
        collection,
        sharedWhere(collection, { workspace_id: workspace } satisfies Where<Row>),
      )) {
        await forgetRow(tx, { type, id })
        await tx.delete(collection, id, version)
        if (declaration.takes) taken.push(...declaration.takes(value))
        count += 1
        if (count === limit) break
      }
      await takeDifference(tx, taxonomy, workspace, taken, [])
      return count
    },
    async *uses(reader) {
      if (made.length === 0) return
      for await (const { id, value } of reader.each(collection)) {
        for (const reference of made) {
          const named = value[reference.member]
          if (typeof named !== 'string' || named === '') continue
          // An absent target is told by its name.
          const targetId = (await targetIdOf(reader, reference, named)) ?? named
          yield { holder: { type, id }, target: { type: reference.target.type, id: targetId } }
        }
      }
    },
  }
}

/** A row with a name. */
type NamedRow = Row & { readonly name: string }

/** Returns the id of the row that a member names by `by`; undefined if no row has the name. An id is not looked up. */
export const targetIdOf = async (
  reader: Reader,
  { by, target }: Pick<Reference<never>, 'by' | 'target'>,
  named: string,
): Promise<string | undefined> => (by === 'name' ? target.idNamed(reader, named) : named)

/** The members that rows of any kind may have. */
function named(row: Row & { readonly name?: unknown; readonly labels?: unknown }): Omit<RowFacts, 'scope'> {
  const { engine, id, labels, name, workspace_id } = row
  return {
    id,
    ...(workspace_id !== undefined && { workspace_id }),
    ...(engine !== undefined && { engine }),
    name: typeof name === 'string' ? name : '',
    labels: isRecord(labels)
      ? Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]))
      : {},
  }
}

/** The scope at which a row lives. */
export function scopeOfRow<T extends Row>({ scopeOf: own }: Pick<KindDeclaration<T>, 'scopeOf'>, row: T): Scope {
  if (own) return own(row)
  return row.workspace_id === undefined ? { type: 'PLATFORM', id: '' } : workspaceScope(row.workspace_id)
}

/** A workspace as a scope. */
export const workspaceScope = (id: string): Scope => ({ type: 'WORKSPACE', id })
