import type { FilterField, FilterType, ListFields } from '../../runtime/filter/types.ts'
import type { ColumnType, ColumnTypes, WrittenColumn } from './columns.ts'
import type { Condition } from './condition.ts'

/** A condition on a value of SQL. */
export type ValueTest = (sql: string) => Condition

/** What rows are ordered by, as `OrderTerm` describes it. */
export interface Direction {
  readonly expression: string
  readonly descending: boolean
  readonly isNullable: boolean
}

/** The unique sets of a table, as an error tells them apart. */
export interface UniqueSets {
  readonly collection: string
  readonly indexes: readonly {
    readonly name: string
    /** The members of a unique set. */
    readonly unique?: readonly string[]
    /** The quoted names of the columns of a unique set. */
    readonly columns?: readonly string[]
  }[]
}

/** Where the SQL of SQLite and of PostgreSQL differs; all else is written once. Texts compare by code point. */
export interface Dialect extends ColumnTypes {
  /** Columns for the fields of a list that hold no single scalar, for a store that does not look into bodies. */
  listColumns(list: ListFields): readonly WrittenColumn[]
  /** `sql` is one of the values. */
  anyOf(sql: string, values: readonly string[]): Condition
  /** A text fits pieces with any characters between each two. */
  like(sql: string, pieces: readonly string[]): Condition
  /** ORDER BY names the keys that have one value in all rows, too: without NULL among them PostgreSQL finds no index. */
  readonly sortsFixed: boolean
  /** A key of ORDER BY; what is not set comes first ascending. */
  sorted(term: Direction): string
  /** A key of an index that serves `sorted`. */
  indexed(term: Direction): string
  /** A SELECT of these rows, whose values are of `types`. */
  rows(types: readonly ColumnType[], rows: readonly (readonly (string | number | boolean)[])[]): Condition
  /** The quickest way to a row of a table that is known. */
  readonly row: string
  /** Joins a table to rows that stand before it: of each only the rows of the table that `each` selects. */
  joinEach(table: string, each: (taken: string) => string): string
  /** Joins a table as `node` to rows that stand before it, for each by an index: they are few, whatever is guessed. */
  joinBy(table: string, on: string): string
  /** A map has an entry: any one, the one of `key`, or that one with a value of `type` that fits. */
  entry(field: FilterField, key?: string, value?: { readonly type: FilterType; readonly test: ValueTest }): Condition
  /** A list has an element of the field's type that fits. Members on the way may be objects or lists of objects. */
  element(field: FilterField, test: ValueTest): Condition
  /** A list or an object is set to something. */
  present(field: FilterField): Condition
  /** A transaction holds all that there is from its beginning, so that nobody else changes what it has read. */
  readonly holdsAll: boolean
  /** What a SELECT ends with that holds its rows against all others, and against those who want them alone. */
  readonly lock: string
  readonly share: string
  /**
   * The members of the unique set that an error says is violated; undefined for any other error. Throws ENGINE_UNAVAILABLE
   * for a set that is not declared: a newer version has made it.
   */
  violated(error: unknown, sets: UniqueSets): readonly string[] | undefined
}
