import type { ApiError } from '../../runtime/errors.ts'
import type { FilterField, FilterType, ListFields, SortKey } from '../../runtime/filter/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { ListQuery, Page } from '../../runtime/pagination.ts'
import type { Path } from './path.ts'

/** A scalar that follows from a document alone. */
export interface Computed<T> {
  readonly type: Exclude<FilterType, 'MAP' | 'PRESENCE' | 'DURATION'>
  /**
   * The value of a document; undefined: as for a member that is not set. It must be the same for the same document in
   * every version: what follows another rule is a column of another name.
   */
  readonly of: (document: T) => string | number | boolean | undefined
}

/**
 * A kind of document that a store keeps, declared once beside the domain code that owns it. The scalar fields of
 * `list` and of `columns` become real columns, so that filters, orders and `where` use indexes.
 */
export interface Collection<T> {
  // This member stands first: by it TypeScript learns that collections are compared by their members, so that each is one
  // of documents of which nothing is known, `Collection<never>`.
  /** Further scalar members, by dotted path, that `where` names or an index uses. */
  readonly columns?: { readonly [Column in Path<T>]?: FilterType }
  /** `<area>_<plural>`, snake case: the name of the table. */
  readonly name: string
  /** The member that identifies a document, unique. */
  readonly id: Path<T>
  readonly list?: ListFields
  /** The column of the parent below which alone it is listed: the index of the default order begins with it. */
  readonly listedBelow?: Path<T>
  /**
   * Further columns by name, whose values are computed from the document whenever it is written. Lists sort by them, and
   * `Where` without a type names them; `indexes` do not.
   */
  readonly computed?: Readonly<Record<string, Computed<T>>>
  /**
   * By fields of `list` the columns that they sort by in their stead: a text that is filtered as it is written and
   * sorted as the number that it stands for.
   */
  readonly orderedBy?: Readonly<Record<string, string>>
  /**
   * Columns that earlier versions wrote and this one does not; none gets the name of one again. A store that holds
   * others is one of a newer version, which this one must not write. A version that gives a unique set up raises
   * `storeFormat`: else it would take the store for that of a newer one.
   */
  readonly formerColumns?: readonly string[]
  /** Servers of every version write it alike: an older one may do so where a newer one has changed other tables. */
  readonly isOfAnyVersion?: boolean
  /** Sets of members that no two documents may share; `taken` makes the error of the second one. */
  readonly uniques?: readonly {
    readonly fields: readonly Path<T>[]
    readonly taken: (document: T) => ApiError
  }[]
  /** Column names in the order of the index; the id is appended. The default order of `list` has one anyway. */
  readonly indexes?: readonly (readonly Path<T>[])[]
  /**
   * Members for the platform alone, such as what a row is counted by: `Stored.value`, `columns` and `where` have them,
   * texts do not, and so no answer. Every document must have them, as texts that JSON writes without escapes: ids. The
   * id of the document, and what its list filters or sorts by, cannot be hidden.
   */
  readonly hidden?: readonly (keyof T & string)[]
}

/** A document as stored. */
export interface Stored<T> {
  readonly id: string
  /** Grows by one with every update; what `update` and `delete` compare. */
  readonly version: number
  /** The text as it is answered, without `hidden` members: reading a document parses nothing. */
  readonly text: JsonText<T>
  /** The document with all its members, parsed when first asked for. */
  readonly value: T
}

type ColumnValue = string | number | boolean | null

/** None of these values. */
export interface NoneOf {
  readonly noneOf: readonly string[]
}

/**
 * Equality on columns, all of which must hold; of a list of values one must. The parent a path names, never something
 * a caller wrote. Without `T` the columns may have any name: computed ones are named so.
 */
export type Where<T = never> = { readonly [Column in Path<T>]?: ColumnValue | readonly string[] | NoneOf }

/** The documents of some ids. */
export function hasId<T>({ id }: Collection<T>, ids: readonly string[]): Where<T> {
  const where: Where = { [id]: ids }
  // The id of a collection is one of the paths of its documents.
  return where as Where<T>
}

/**
 * As a condition on a collection of any type, for code that is written for many types: `satisfies Where<Row>` at the
 * caller says which members all their documents have.
 */
export function sharedWhere<T>(_of: Collection<T>, where: Where): Where<T> {
  // The documents of all these types have the members.
  return where as Where<T>
}

/** What narrows a list: of several alternatives one must hold, of none nothing is left. */
export type Narrowing<T = never> = Where<T> | readonly Where<T>[]

/**
 * Fields of a query that documents do not have: they follow from columns of theirs by a table that the caller has at
 * hand. So lists filter and sort by what is inherited without a copy of it in every row.
 */
export interface Derived {
  /** The columns that the fields follow from, STRING or ENUM. */
  readonly from: readonly string[]
  /** As the query names them. */
  readonly fields: readonly Pick<FilterField, 'name' | 'type'>[]
  /** A document whose columns have none of these values is not in the page. */
  readonly rows: readonly DerivedRow[]
}

/** What documents with these values of `Derived.from` have in `Derived.fields`; each in the order of the names. */
export interface DerivedRow {
  readonly from: readonly string[]
  readonly values: readonly (string | number | boolean)[]
}

/** A document whose version is read in one statement with others: all of it is as of the same moment. */
export interface Witness {
  readonly collection: Collection<never>
  readonly id: string
}

/** What is read beside the documents as they are stored. */
export interface Beside<Members> {
  /** STRING and ENUM columns that are read beside the text, so that nothing has to be parsed for them. */
  readonly members?: Members
  readonly witness?: Witness
}

/** What a page has beside the documents as they are stored. */
export interface PageOptions<Members> extends Beside<Members> {
  readonly derived?: Derived | undefined
}

/**
 * A document, and those of its members that were asked for, in that order; one that is not set is empty. The
 * array of the members may go on behind them.
 */
export interface Listed<T, Members extends readonly (keyof T)[]> extends Stored<T> {
  readonly members: { readonly [I in keyof Members]: T[Members[I]] }
}

/** A document with the version that its witness had at the same moment; undefined when that was not asked, or is gone. */
export interface Witnessed<T, Members extends readonly (keyof T)[]> extends Listed<T, Members> {
  readonly witnessed: number | undefined
}

/** A page of documents that can be looked into. */
export interface StoredPage<T, Members extends readonly (keyof T)[] = readonly []> {
  readonly items: readonly Listed<T, Members>[]
  readonly next?: readonly SortKey[]
  /** The version of the witness; undefined without one, and when the page has no rows to stand beside. */
  readonly witnessed?: number | undefined
}

export interface Reader {
  get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /** As `get`, in one statement with what is asked for beside the document. */
  getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    beside: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined>
  /** The first document that `where` fits, by id; for lookups by a unique key. */
  find<T>(collection: Collection<T>, where: Where<T>): Promise<Stored<T> | undefined>
  count<T>(collection: Collection<T>, where?: Where<T>): Promise<number>
  /** Whether there is a document that `where` fits. */
  exists<T>(collection: Collection<T>, where: Where<T>): Promise<boolean>
  /** How many documents there are by the value of a STRING or ENUM column; under the empty one, where it is not set. */
  tally<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<ReadonlyMap<string, number>>
  /** The sum of an INTEGER column, 0 over no rows. */
  sum<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<number>
  /** Every document that `where` fits, by id from the one behind `after`, read in pages so that memory stays bounded. */
  each<T>(collection: Collection<T>, where?: Where<T>, after?: string): AsyncGenerator<Stored<T>, void, undefined>
  /** One page by keyset; `query.filter` runs as SQL. `where` narrows it to a parent, or to what the caller may see. */
  list<T>(collection: Collection<T>, query: ListQuery, where?: Narrowing<T>): Promise<Page<T>>
  /** As `list`, for documents that are not answered as they are stored, by derived fields too. */
  page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Narrowing<T>,
    options?: PageOptions<Members>,
  ): Promise<StoredPage<T, Members>>
  /** The documents `ids` and all above them by the column `parent`, each once and in no order, in one statement. */
  above<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]>
  /** The documents `ids` and all below them by the column `parent`, each once and in no order, in one statement. */
  below<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]>
}

/** The calls of one transaction; all or none of its changes are kept. */
export interface Transaction extends Reader {
  /** Reads a document and holds it against other transactions until the end of this one. */
  lock<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /** As `lock`, but others may share it too: it holds off those who lock the document, not each other. */
  share<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /**
   * Throws the error of a violated `unique`, and `Conflict` when there is a document of the id. After the former, which
   * `update` may throw too, the transaction can only end: with the same error, even when it was caught.
   */
  insert<T>(collection: Collection<T>, document: NoInfer<T>): Promise<Stored<T>>
  /** Replaces a document that still has `version`; throws `Conflict` when it has another. */
  update<T>(collection: Collection<T>, id: string, document: NoInfer<T>, version: number): Promise<Stored<T>>
  /** As `update`, in one conditional statement, but undefined when the document has another version or is gone. */
  tryUpdate<T>(
    collection: Collection<T>,
    id: string,
    document: NoInfer<T>,
    version: number,
  ): Promise<Stored<T> | undefined>
  /** Deletes a document that still has `version`; throws `Conflict` when it has another. */
  delete<T>(collection: Collection<T>, id: string, version: number): Promise<void>
  /** Calls `run` once the transaction has committed, never when it has not. A hint within the process; must not throw. */
  afterCommit(run: () => void): void
}

/**
 * The store (conventions §16). Reads outside a transaction see committed rows only. `tx` runs `fn` in one
 * transaction and commits when it resolves; `fn` awaits nothing but the calls of its `tx`, has no outside effect and
 * may run again. Busy stores and conflicts are retried up to 10 times, then ENGINE_UNAVAILABLE is thrown.
 */
export interface Store extends Reader {
  tx<R>(fn: (tx: Transaction) => Promise<R>): Promise<R>
  /**
   * All reads of `read` see the committed rows of one moment, that of the first of them, and neither wait for
   * transactions nor hold them up. Keep it short, since the store keeps what it sees; like `fn` of `tx` it awaits nothing
   * but the calls of its reader, and may run again.
   */
  snapshot<R>(read: (reader: Reader) => Promise<R>): Promise<R>
}

/** A document changed between reading and writing it; `Store.tx` runs the transaction again. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}
