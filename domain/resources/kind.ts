import type { ApiError, ErrorDetails } from '../../runtime/errors.ts'
import type { Fields } from '../../runtime/field-mask.ts'
import { isRecord } from '../../runtime/validation.ts'
import type { Scope } from '../ports/operations.ts'
import { sharedWhere, type Collection, type Reader, type Stored, type Transaction, type Where } from '../ports/store.ts'
import type { Amount, Taxonomy } from '../ports/taxonomy.ts'
import { forgetRow, type Target } from './references.ts'
import { takeDifference } from './taken.ts'
import type { StateTable } from './states.ts'

/** A row that lies in a workspace, or at the platform when it has no `workspace_id`. */
export interface Row {
  readonly id: string
  readonly workspace_id?: string
  /** The engine of the path; absent where paths name none. */
  readonly engine?: string
}

/** What callers create, change and delete has the standard fields of conventions §2. */
export interface Resource extends Row {
  readonly etag: string
  /** Absent where the platform has made the row at its first start. */
  readonly create_time?: string
  readonly update_time: string
}

/** Makes the error of a reason; the generated constructors have this shape. */
export type MakeError = (message: string, details?: ErrorDetails) => ApiError

/** A member that names a row of another kind (conventions §3). */
export interface Reference<T> {
  /** The member that holds the id of the target; one without a value names nothing. */
  readonly member: keyof T & string
  readonly target: AnyKind
  /** The error of the called area when the body names a row that is absent; it becomes INVALID_ARGUMENT at the field. */
  readonly absent: MakeError
  /**
   * How the target is held while the reference is made: `share` by default. `lock` where calls change the target as well,
   * such as a count in its row: then every change of the row locks the target first, its deletion too.
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
  /** How mutations of the child hold the parent: `lock` where they change or count below it, `share` by default. */
  readonly hold?: Hold
}

/** How a transaction holds a row: against all others, or only against those that lock the row. */
export type Hold = 'lock' | 'share'

/** What a kind declares. */
export interface KindDeclaration<T extends Row> {
  /** `network.vpcs`: the type in operations, errors, permissions, holdings and references. */
  readonly type: string
  /** The word for people: `VPC`. */
  readonly noun: string
  readonly collection: Collection<T>
  /** The generated rules of the fields; absent where callers cannot change a row. */
  readonly fields?: Fields
  readonly notFound: MakeError
  /** Raised when a row is deleted that others refer to; absent where nothing refers to the kind. */
  readonly inUse?: MakeError
  readonly parent?: ParentOf<T>
  readonly references?: readonly Reference<T>[]
  readonly states?: StateTable<T>
  /**
   * What a row of a workspace takes of the quotas of the taxonomy. It is taken with the row, follows each change of the
   * row, and is given back with the row, also by a purge.
   */
  readonly takes?: (row: T) => readonly Amount[]
  /** Whether paths may name a row of the platform by its unique `name` instead of its id (conventions §3). */
  readonly isNamed?: boolean
  /** Whether users made the rows, so that they count among the holdings of a workspace; true by default. */
  readonly isHolding?: boolean
  /** Where a row lies, if not in its `workspace_id`, or at the platform without one. */
  readonly scopeOf?: (row: T) => Scope
}

/** What is known of a row whatever its kind. */
export interface RowFacts extends Row {
  /** Empty where the kind has no names. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly scope: Scope
}

/** One use of a row by another, as the members of the holder say it. */
export interface Use {
  readonly holder: Target
  readonly target: Target
}

/** A kind without the type of its rows: what can be done with the rows of every kind. */
export interface AnyKind {
  readonly type: string
  readonly noun: string
  readonly notFound: MakeError
  readonly isHolding: boolean
  /** Whether the rows lie in workspaces. */
  readonly isOfWorkspace: boolean
  /** The members that name rows of other kinds. */
  readonly targets: readonly { readonly member: string; readonly target: AnyKind }[]
  /** The collection, for the store alone. */
  readonly collection: Collection<never>
  facts(reader: Reader, id: string): Promise<RowFacts | undefined>
  hold(tx: Transaction, id: string, how: Hold): Promise<RowFacts | undefined>
  countIn(reader: Reader, workspace: string): Promise<number>
  /**
   * Deletes up to `limit` rows of a workspace with all references from and to them, gives back what they have taken, and
   * answers how many there were.
   */
  purgeIn(tx: Transaction, taxonomy: Pick<Taxonomy, 'consume'>, workspace: string, limit: number): Promise<number>
  /** Every use of other rows that the rows of the kind tell by their members. */
  uses(reader: Reader): AsyncGenerator<Use, void, undefined>
}

/** A kind of resource, declared once: from it follow its calls, holdings, purge, references and look-ups. */
export type Kind<T extends Row> = KindDeclaration<T> & Omit<AnyKind, 'collection'>

/** How a path names the place of a row. */
export interface Place {
  readonly workspace?: string
  readonly engine?: string
}

/** How a path names a row. */
export interface RowPath extends Place {
  readonly id: string
}

/** Makes a kind of its declaration. */
export function defineKind<T extends Row, const Type extends string>(
  declaration: KindDeclaration<T> & { readonly type: Type },
): Kind<T> & { readonly type: Type } {
  const { collection, isHolding = true, references: made = [], type } = declaration
  const factsOf = (stored: Stored<T> | undefined): RowFacts | undefined =>
    stored && { ...named(stored.value), scope: scopeOf(declaration, stored.value) }
  return {
    ...declaration,
    isHolding,
    targets: made,
    isOfWorkspace: Object.hasOwn(collection.columns ?? {}, 'workspace_id'),
    facts: async (reader, id) => factsOf(await reader.get(collection, id)),
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
        for (const { member, target } of made) {
          const targetId = value[member]
          if (typeof targetId === 'string' && targetId !== '')
            yield { holder: { type, id }, target: { type: target.type, id: targetId } }
        }
      }
    },
  }
}

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
export function scopeOf<T extends Row>({ scopeOf: own }: Pick<KindDeclaration<T>, 'scopeOf'>, row: T): Scope {
  if (own) return own(row)
  return row.workspace_id === undefined ? { type: 'PLATFORM', id: '' } : workspaceScope(row.workspace_id)
}

/** A workspace as a scope. */
export const workspaceScope = (id: string): Scope => ({ type: 'WORKSPACE', id })
