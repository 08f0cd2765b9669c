/** A value of a column or parameter. */
export type SqlValue = null | number | bigint | string | Uint8Array

/** The values of a row in the order of the statement's names. */
export type SqlRow = readonly SqlValue[]

/** A result that is immediate for a store in this process, and a promise for a remote store. */
export type Eventually<T> = T | Promise<T>

/** A connection that runs statements; `?` stands for a parameter. */
export interface Connection {
  /** Returns the first row. */
  get(sql: string, parameters?: readonly SqlValue[]): Eventually<SqlRow | undefined>
  all(sql: string, parameters?: readonly SqlValue[]): Eventually<readonly SqlRow[]>
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: readonly SqlValue[]): Eventually<number>
}
