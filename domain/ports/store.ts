import type { ApiError } from '../../runtime/errors.ts'
import type { FilterField, FilterType, ListFields, SortKey } from '../../runtime/filter/types.ts'
import type { JsonText } from '../../runtime/json.ts'
import type { ListQuery, Page } from '../../runtime/pagination.ts'
import type { Path } from './path.ts'

/** A column whose value is computed from the document alone. */
export interface Computed<T> {
  readonly type: Exclude<FilterType, 'MAP' | 'PRESENCE' | 'DURATION'>
  /**
   * Returns the value for a document; undefined counts as a member that is not set. The result for a document must be
   * equal in all versions of the platform: a changed rule needs a column with a new name.
   */
  readonly of: (document: T) => string | number | boolean | undefined
}

/**
 * A kind of document in the store, declared once beside the domain code that owns it. The scalar fields of `list` and
 * of `columns` become columns of the table, so that filters, orders and `where` use indexes.
 */
export interface Collection<T> {
  // `columns` stands first: TypeScript then compares collections by their members, so that each collection is
  // assignable to `Collection<never>`.
  /** The types of further scalar members that `where` names or an index uses, keyed by dotted path. */
  readonly columns?: { readonly [Column in Path<T>]?: FilterType }
  /** The name of the table, `<area>_<plural>` in snake case. */
  readonly name: string
  /** The member with the unique id of a document. */
  readonly id: Path<T>
  readonly list?: ListFields
  /**
   * The column of the parent, if documents are listed only below a parent. The index of the default order begins with
   * this column.
   */
  readonly listedBelow?: Path<T>
  /**
   * Further columns, keyed by name. The values of these columns are computed from the document at each write. Lists can
   * sort by these columns, and an untyped `Where` can name them; `indexes` cannot.
   */
  readonly computed?: Readonly<Record<string, Computed<T>>>
  /**
   * The columns that replace fields of `list` in orders, keyed by field: for example, an address is filtered as text
   * and sorted as a number.
   */
  readonly orderedBy?: Readonly<Record<string, string>>
  /**
   * Columns that earlier versions wrote and this version does not write. The name of a former column must not be used
   * again. A store with any other unknown column belongs to a newer version, and this version must not write to the
   * store. A version that drops a unique set must raise `storeFormat`, otherwise the version mistakes its own store for
   * a newer one.
   */
  readonly formerColumns?: readonly string[]
  /**
   * Whether servers of all versions write the collection in the same form, so that an older server may write it after a
   * newer server changed other tables.
   */
  readonly isOfAnyVersion?: boolean
  /**
   * Sets of members whose values must be unique together. `taken` returns the error for the second document with the
   * same values.
   */
  readonly uniques?: readonly {
    readonly fields: readonly Path<T>[]
    readonly taken: (document: T) => ApiError | Conflict
  }[]
  /**
   * The indexes, each as column names in order; the id is appended. The default order of `list` has an index already.
   */
  readonly indexes?: readonly (readonly Path<T>[])[]
  /**
   * The maps of `list` whose entries have an index on PostgreSQL, by which a filter finds the rows with a text at a key.
   * SQLite has no such index, and reads the rows in the order of the list.
   */
  readonly indexedMaps?: readonly string[]
  /**
   * Members for the platform alone, for example for counting. `Stored.value`, `columns` and `where` have them; stored
   * texts, and therefore responses, do not. Every document must have these members, as strings that JSON writes without
   * escapes, such as ids. The fields and the key of the list cannot be hidden. The id of the document can be hidden if
   * it is not the key of a list, as for versions, whose numbers are unique only below their parent. Every document must
   * have a visible member.
   */
  readonly hidden?: readonly (keyof T & string)[]
}

/** A stored document. */
export interface Stored<T> {
  readonly id: string
  /** The version, which grows by 1 with every update; `update` and `delete` compare it. */
  readonly version: number
  /** The text for answers, without `hidden` members. Reading a document parses nothing. */
  readonly text: JsonText<T>
  /** The document with all its members, which is parsed on first use. */
  readonly value: T
}

type ColumnValue = string | number | boolean | null

/** Matches a column whose value is none of these values. */
export interface NoneOf {
  readonly noneOf: readonly string[]
}

/**
 * Conditions on columns, all of which must hold. A single value must equal the column; a list must contain the value of
 * the column. The conditions come from the path or the code, never from text of a caller. Without `T`, the columns may
 * have any name, as computed columns do.
 */
export type Where<T = never> = { readonly [Column in Path<T>]?: ColumnValue | readonly string[] | NoneOf }

/** Returns the filter for documents with these ids. */
export function hasId<T>({ id }: Collection<T>, ids: readonly string[]): Where<T> {
  const where: Where = { [id]: ids }
  // The id of a collection is one of the paths of its documents.
  return where as Where<T>
}

/**
 * Returns a condition for a collection of any type, for code that is written for many types. The caller writes
 * `satisfies Where<Row>` with the type `Row` whose members all documents have.
 */
export function sharedWhere<T>(_of: Collection<T>, where: Where): Where<T> {
  // The caller has checked that the documents have the members.
  return where as Where<T>
}

/**
 * The conditions of a list, or alternatives of which at least one must hold. An empty list of alternatives matches
 * nothing.
 */
export type Narrowing<T = never> = Where<T> | readonly Where<T>[]

/**
 * Fields of a query that documents do not store. A table of the caller maps columns of the documents to the values of
 * these fields, so lists filter and sort by inherited values without a copy in every row.
 */
export interface Derived {
  /** The STRING or ENUM columns that determine the values of the fields. */
  readonly from: readonly string[]
  /** The fields, with the names that the query uses. */
  readonly fields: readonly Pick<FilterField, 'name' | 'type'>[]
  /** The table. The page contains only documents whose columns have the values of one of its rows. */
  readonly rows: readonly DerivedRow[]
}

/**
 * A row of the table: values of the columns `Derived.from`, and the resulting values of `Derived.fields`. Both lists
 * have the order of the names.
 */
export interface DerivedRow {
  readonly from: readonly string[]
  readonly values: readonly (string | number | boolean)[]
}

/** A document whose version is read in the statement of other documents, so that both are read at one moment. */
export interface Witness {
  readonly collection: Collection<never>
  readonly id: string
}

/** A request for members of the documents and for the version of a witness, in addition to the documents. */
export interface Beside<Members> {
  /** STRING and ENUM columns to return beside the text, so that no document has to be parsed for them. */
  readonly members?: Members
  readonly witness?: Witness | undefined
}

/** Members and derived fields that a page returns in addition to the documents. */
export interface PageOptions<Members> extends Beside<Members> {
  readonly derived?: Derived | undefined
}

/**
 * A document with the requested members, in the requested order; an unset text or enum is empty. The array of the
 * members may have further elements.
 */
export interface Listed<T, Members extends readonly (keyof T)[]> extends Stored<T> {
  readonly members: { readonly [I in keyof Members]: T[Members[I]] }
}

/**
 * A document with the version of its witness at the same moment. The version is undefined if no witness was requested,
 * or if the witness does not exist.
 */
export interface Witnessed<T, Members extends readonly (keyof T)[]> extends Listed<T, Members> {
  readonly witnessed: number | undefined
}

/** A page of documents with their requested members, and the key after which the next page begins. */
export interface StoredPage<T, Members extends readonly (keyof T)[] = readonly []> {
  readonly items: readonly Listed<T, Members>[]
  readonly next?: readonly SortKey[]
  /** The version of the witness; undefined without a witness and for an empty page. */
  readonly witnessed?: number | undefined
}

/** A page of texts, with the version of the witness as in `StoredPage`. */
export type WitnessedPage<T> = Page<T> & Pick<StoredPage<T>, 'witnessed'>

/**
 * The reads of a store. All of them return committed rows, and in a transaction also the rows that the transaction
 * wrote.
 */
export interface Reader {
  get<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /** Returns a document as `get` does, with further members and versions from the same statement. */
  getWith<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    id: string,
    beside: Beside<Members>,
  ): Promise<Witnessed<T, Members> | undefined>
  /** Returns the document with the lowest id among the documents that match `where`; for lookups by a unique key. */
  find<T>(collection: Collection<T>, where: Where<T>): Promise<Stored<T> | undefined>
  count<T>(collection: Collection<T>, where?: Where<T>): Promise<number>
  /** Returns whether a document matches `where`. */
  exists<T>(collection: Collection<T>, where: Where<T>): Promise<boolean>
  /** Counts documents by the value of a STRING or ENUM column; documents without a value count under the empty text. */
  tally<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<ReadonlyMap<string, number>>
  /** Returns the sum of an INTEGER column; 0 if no row matches. */
  sum<T>(collection: Collection<T>, column: Path<T>, where?: Where<T>): Promise<number>
  /**
   * Iterates over all documents that match `where`, in the order of their ids, from the first id after `after`. The
   * documents are read in pages, so that memory stays bounded.
   */
  each<T>(collection: Collection<T>, where?: Where<T>, after?: string): AsyncGenerator<Stored<T>, void, undefined>
  /**
   * Returns one page by keyset pagination; `query.filter` runs as SQL. `where` restricts the list to a parent, or to
   * the rows that the caller may see.
   */
  list<T>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Narrowing<T>,
    options?: Pick<Beside<never>, 'witness'>,
  ): Promise<WitnessedPage<T>>
  /**
   * Returns a page as `list` does, for documents whose responses differ from their stored texts, and for derived
   * fields.
   */
  page<T, const Members extends readonly (keyof T & string)[] = readonly []>(
    collection: Collection<T>,
    query: ListQuery,
    where?: Narrowing<T>,
    options?: PageOptions<Members>,
  ): Promise<StoredPage<T, Members>>
  /**
   * Returns the documents with the ids `ids` and all their ancestors by the column `parent`, each once and unordered,
   * in one statement.
   */
  above<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]>
  /**
   * Returns the documents with the ids `ids` and all their descendants by the column `parent`, each once and unordered,
   * in one statement.
   */
  below<T>(collection: Collection<T>, parent: Path<T>, ids: readonly string[]): Promise<readonly Stored<T>[]>
}

/** A transaction; all of its changes are committed, or none is. */
export interface Transaction extends Reader {
  /**
   * Returns a document and locks it against other transactions until the end of this transaction; undefined if the
   * document does not exist.
   */
  lock<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /**
   * Returns and locks a document as `lock` does, but lets other transactions share the document too. No other
   * transaction can lock the document while it is shared.
   */
  share<T>(collection: Collection<T>, id: string): Promise<Stored<T> | undefined>
  /**
   * Inserts a document and returns the stored document. Throws the error of a violated unique set, and `Conflict` if a
   * document has the id. After a violated unique set, which `update` may find too, the transaction ends with the same
   * error, even if the caller catches the error.
   */
  insert<T>(collection: Collection<T>, document: NoInfer<T>): Promise<Stored<T>>
  /**
   * Inserts documents as repeated calls of `insert` do, in few statements. The collection must have no unique sets,
   * because a violation would not tell its document.
   */
  insertAll<T>(collection: Collection<T>, documents: readonly NoInfer<T>[]): Promise<void>
  /** Replaces a document if it still has `version`, and returns the stored document; otherwise throws `Conflict`. */
  update<T>(collection: Collection<T>, id: string, document: NoInfer<T>, version: number): Promise<Stored<T>>
  /**
   * Updates a document as `update` does, in one conditional statement. Returns undefined if the document has another
   * version or is deleted.
   */
  tryUpdate<T>(
    collection: Collection<T>,
    id: string,
    document: NoInfer<T>,
    version: number,
  ): Promise<Stored<T> | undefined>
  /** Deletes a document if it still has `version`; otherwise throws `Conflict`. */
  delete<T>(collection: Collection<T>, id: string, version: number): Promise<void>
  /**
   * Deletes all documents that match `where`, whatever their versions, in one statement. Returns their number. The caller
   * holds a lock that keeps other transactions from changing them.
   */
  deleteAll<T>(collection: Collection<T>, where: Where<T>): Promise<number>
  /**
   * Calls `run` after the commit, and never after a rollback. Only this process sees the call, and a process that ends
   * after the commit may skip it. `run` must not throw.
   */
  afterCommit(run: () => void): void
}

/** The way in which a transaction is committed. */
export interface CommitOptions {
  /**
   * Whether a crash of the machine may undo the transaction, unless a later transaction without this option was
   * committed. The commit then need not wait for the disk. The default is false.
   */
  readonly isPassing?: boolean
}

/**
 * The store (conventions §16). Reads outside of a transaction see committed rows only. `tx` runs `fn` in one
 * transaction and commits when `fn` resolves. `fn` awaits only the calls of its `tx`, and has no effect outside of the
 * store, because `fn` runs again after a conflict or if the store is busy. After 10 failed attempts, `tx` throws
 * ENGINE_UNAVAILABLE.
 */
export interface Store extends Reader {
  tx<R>(fn: (tx: Transaction) => Promise<R>, options?: CommitOptions): Promise<R>
  /**
   * Runs `read` on a snapshot of the rows that are committed at its first read. The reads neither wait for transactions
   * nor delay them. Keep `read` short, because the store retains old rows until `read` ends. Like `fn` of `tx`, `read`
   * awaits only the calls of its reader, and may run again.
   */
  snapshot<R>(read: (reader: Reader) => Promise<R>): Promise<R>
  /**
   * Removes the bytes of deleted and replaced rows from the files of the store, for secrets. Returns false if a reader
   * still needs the bytes; the caller then tries again. Absent if the store is no file.
   */
  readonly scrub?: (() => Promise<boolean>) | undefined
}

/** A document changed between reading and writing; `Store.tx` runs the transaction again. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}
