import type { FilterField, FilterType, ListFields } from '../../runtime/filter/types.ts'
import type { ColumnType, ColumnTypes, WrittenColumn } from './columns.ts'
import type { SqlCondition } from './condition.ts'

/** Returns a condition on the value of an expression of SQL. */
export type ValueTest = (sql: string) => SqlCondition

/** A condition on the value of an entry of a map. */
export interface EntryTest {
  /** The type that the value must have. */
  readonly type: FilterType
  readonly test: ValueTest
  /** The only text that passes the test; undefined if other values pass too. */
  readonly text?: string | undefined
}

/** The expression of an `OrderTerm`, and its sort direction. */
export interface Direction {
  readonly expression: string
  readonly descending: boolean
  readonly isNullable: boolean
}

/** The unique sets of a table, for the interpretation of errors. */
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

/** The parts of SQL that differ between SQLite and PostgreSQL. Texts compare by code point. */
export interface Dialect extends ColumnTypes {
  /** Returns columns for list fields that are no scalars, if the store does not read bodies in filters. */
  listColumns(list: ListFields): readonly WrittenColumn[]
  /** Returns the condition that `sql` is one of the values. */
  anyOf(sql: string, values: readonly string[]): SqlCondition
  /** Returns the condition that a text consists of the pieces, with any characters between them. */
  like(sql: string, pieces: readonly string[]): SqlCondition
  /** Whether ORDER BY must name keys with a single value too: otherwise PostgreSQL does not use the index. */
  readonly sortsFixed: boolean
  /** Returns a key of ORDER BY; ascending, unset values come first. */
  sorted(term: Direction): string
  /** Returns a key of an index that serves `sorted`. */
  indexed(term: Direction): string
  /** Returns the method and the key of an index over the entries of a map, which serves `entry` with a `text`. */
  readonly mapIndex?: (field: FilterField) => string
  /** Returns a SELECT of these rows, whose values have the types `types`. */
  rows(types: readonly ColumnType[], rows: readonly (readonly (string | number | boolean)[])[]): SqlCondition
  /** The name of the column that finds a known row fastest. */
  readonly row: string
  /** Returns the SQL that joins each earlier row with the rows of a table that `each` selects for the earlier row. */
  joinEach(table: string, each: (taken: string) => string): string
  /**
   * Returns the SQL that joins a table as `node` to each earlier row by an index. The earlier rows are few, whatever
   * the planner assumes.
   */
  joinBy(table: string, on: string): string
  /**
   * Returns the condition that a map has an entry: any entry, the entry `key`, or that entry with a value of `type`
   * that passes the test.
   */
  entry(field: FilterField, key?: string, value?: EntryTest): SqlCondition
  /**
   * Returns the condition that a list has an element of the field's type that passes the test. Members on the path may
   * be objects or lists of objects.
   */
  element(field: FilterField, test: ValueTest): SqlCondition
  /** Returns the condition that a list or an object is set. */
  present(field: FilterField): SqlCondition
  /** Whether a transaction locks the whole store from its beginning, so that no other transaction changes its rows. */
  readonly isSingleWriter: boolean
  /** The end of a SELECT that locks its rows exclusively, and of a SELECT that takes a shared lock on its rows. */
  readonly lock: string
  readonly share: string
  /**
   * Returns the members of the unique set that an error names; undefined for any other error. Throws ENGINE_UNAVAILABLE
   * for an undeclared set, which a newer version has made.
   */
  violated(error: unknown, sets: UniqueSets): readonly string[] | undefined
}
