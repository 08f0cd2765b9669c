import type { ApiError, DetailsWith, ErrorDetails } from '../../runtime/errors.ts'
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
  /** The time of the creation; absent if the platform itself created the row, such as a quota. */
  readonly create_time?: string
  readonly update_time: string
}

/**
 * Makes an error with a fixed reason and with at least the details `Needed`; the generated constructors have this
 * shape.
 */
export type MakeError<Needed extends keyof ErrorDetails = 'resource'> = (
  message: string,
  details: DetailsWith<Needed>,
) => ApiError

/** A member that names a row of another kind (conventions §3). */
export interface Reference<T> {
  /** The member that holds the id of the target, or its name (`by`); an unset member names no target. */
  readonly member: keyof T & string
  /**
   * The form in which the member names the target, `id` by default. With `name`, the member holds the `name` of the
   * target, which must be a column, unique over the platform and never changed; the table of references keeps the id of
   * the target.
   */
  readonly by?: 'id' | 'name'
  readonly target: AnyKind
  /**
   * Makes the error of the called area for a member that names an absent row; `makeReferences` throws the error at the
   * field.
   */
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

/**
 * The lock of a transaction on a row: `lock` excludes all other transactions, `share` excludes only transactions that
 * lock the row.
 */
export type Hold = 'lock' | 'share'

/** The declaration of a kind. */
export interface KindDeclaration<T extends Row> {
  /** The type in operations, errors, permissions, holdings and references: `network.vpcs`. */
  readonly type: string
  /** The noun in messages for people: `VPC`. */
  readonly noun: string
  readonly collection: Collection<T>
  /** The generated rules of the fields; absent if callers cannot update the rows. */
  readonly fields?: Fields
  readonly notFound: MakeError
  /** Makes the error for the deletion of a row that other rows refer to; absent if no kind refers to this kind. */
  readonly inUse?: MakeError<'precondition' | 'resource'>
  readonly parent?: ParentOf<T>
  readonly references?: readonly Reference<T>[]
  readonly states?: StateTable<T>
  /**
   * The amounts that a row of a workspace takes of the quotas of taxonomy. The creation takes them, each change of the
   * row takes or returns the difference, and the deletion or the purge returns them.
   */
  readonly takes?: (row: T) => readonly Amount[]
  /**
   * Whether paths may name a row by its `name` instead of its id (conventions §3). The name is unique over the platform,
   * or in the engine that the paths name. Only kinds without workspaces may set this member.
   */
  readonly isNamed?: boolean
  /** Whether users create the rows, so that they count among the holdings of a workspace; true by default. */
  readonly isHolding?: boolean
  /** The scope of a row; absent: the workspace of `workspace_id`, or the platform if the row has no `workspace_id`. */
  readonly scopeOf?: (row: T) => Scope
}

/** The members that are known for rows of every kind, and the scope of the row. */
export interface RowFacts extends Row {
  /** The name; empty if the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** A reference that a member of the row `holder` makes to the row `target`. */
export interface Use {
  readonly holder: Target
  readonly target: Target
}

/** The amount that a row takes of a quota of its workspace. */
export interface Taken extends Amount {
  readonly workspace: string
}

/** A kind without the type of its rows: the functions that work for rows of every kind. */
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
  /** The kind of the parent that paths name, and the member that holds the id of the parent. */
  readonly parent?: { readonly member: string; readonly kind: AnyKind }
  /** The collection, to be passed to the store only, because the type hides its documents. */
  readonly collection: Collection<never>
  facts(reader: Reader, id: string): Promise<RowFacts | undefined>
  /**
   * Returns the id of the row with this name, in this engine if names are unique in their engine only; undefined if no
   * row has the name. `name` must be a column of the kind.
   */
  idNamed(reader: Reader, name: string, engine?: string): Promise<string | undefined>
  hold(tx: Transaction, id: string, how: Hold): Promise<RowFacts | undefined>
  countIn(reader: Reader, workspace: string): Promise<number>
  /**
   * Deletes up to `limit` rows of a workspace with all references from and to them, and returns their amounts to the
   * quotas. Returns the number of deleted rows.
   */
  purgeIn(tx: Transaction, taxonomy: Pick<Taxonomy, 'consume'>, workspace: string, limit: number): Promise<number>
  /** Iterates over all references that members of the kind's rows make. */
  uses(reader: Reader): AsyncGenerator<Use, void, undefined>
  /** Iterates over the amounts that the rows in workspaces take of quotas. */
  taken(reader: Reader): AsyncGenerator<Taken, void, undefined>
}

/**
 * A kind of resource: its declaration, and the functions that `defineKind` derives for its calls, holdings, purge,
 * references and look-ups.
 */
export type Kind<T extends Row> = KindDeclaration<T> & Omit<AnyKind, 'collection' | 'isNamed' | 'parent'>

/** The workspace and the engine that a path names; a member is absent if the path does not name it. */
export interface Place {
  readonly workspace?: string
  readonly engine?: string
}

/** A row that a path names by its id or name. */
export interface RowPath extends Place {
  readonly id: string
}

/** Returns the kind that a declaration describes. */
export function defineKind<T extends Row, const Type extends string>(
  declaration: KindDeclaration<T> & { readonly type: Type },
): Kind<T> & { readonly type: Type } {
  const { collection, isHolding = true, references: made = [], type } = declaration
  const hasEngine = Object.hasOwn(collection.columns ?? {}, 'engine')
  const factsOf = (stored: Stored<T> | undefined): RowFacts | undefined =>
    stored && { ...named(stored.value), scope: scopeOfRow(declaration, stored.value) }
  return {
    ...declaration,
    isHolding,
    targets: made,
    isOfWorkspace: Object.hasOwn(collection.columns ?? {}, 'workspace_id'),
    facts: async (reader, id) => factsOf(await reader.get(collection, id)),
    async idNamed(reader, name, engine) {
      const where: Where<NamedRow> = { name, ...(hasEngine && engine !== undefined && { engine }) }
      return (await reader.find(collection, sharedWhere(collection, where)))?.id
    },
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
    async *taken(reader) {
      const { takes } = declaration
      if (takes === undefined) return
      for await (const { value } of reader.each(collection)) {
        const { workspace_id: workspace } = value
        if (workspace !== undefined) yield* takes(value).map(amount => ({ ...amount, workspace }))
      }
    },
    async *uses(reader) {
      if (made.length === 0) return
      for await (const { id, value } of reader.each(collection)) {
        for (const reference of made) {
          const named = value[reference.member]
          if (typeof named !== 'string' || named === '') continue
          // The finding about an absent target names the target by the value of the member.
          const targetId = (await targetIdOf(reader, reference, named)) ?? named
          yield { holder: { type, id }, target: { type: reference.target.type, id: targetId } }
        }
      }
    },
  }
}

/** A row with a name. */
type NamedRow = Row & { readonly name: string }

/**
 * Returns the id of a reference's target; `named` is the value of the member. Returns undefined if the reference is by
 * name and no row has the name. An id is not looked up.
 */
export const targetIdOf = async (
  reader: Reader,
  { by, target }: Pick<Reference<never>, 'by' | 'target'>,
  named: string,
): Promise<string | undefined> => (by === 'name' ? target.idNamed(reader, named) : named)

/**
 * Returns the members that are known for rows of every kind. A row without a name gets an empty name, and a row without
 * labels gets no labels.
 */
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

/** Returns the scope at which a row lives. */
export function scopeOfRow<T extends Row>({ scopeOf: own }: Pick<KindDeclaration<T>, 'scopeOf'>, row: T): Scope {
  if (own) return own(row)
  return row.workspace_id === undefined ? { type: 'PLATFORM', id: '' } : workspaceScope(row.workspace_id)
}

/** Returns the scope of a workspace. */
export const workspaceScope = (id: string): Scope => ({ type: 'WORKSPACE', id })
