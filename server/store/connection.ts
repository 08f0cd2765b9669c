/** A value as columns hold it and parameters carry it. */
export type SqlValue = null | number | bigint | string | Uint8Array

/** The values of a row in the order in which the statement names them. */
export type Row = readonly SqlValue[]

/** A store in this process answers at once, one behind a network later. */
export type Eventually<T> = T | Promise<T>

/** Where statements run; parameters stand as `?` in them. */
export interface Connection {
  /** The first row. */
  get(sql: string, parameters?: readonly SqlValue[]): Eventually<Row | undefined>
  all(sql: string, parameters?: readonly SqlValue[]): Eventually<readonly Row[]>
  /** The number of rows that changed. */
  run(sql: string, parameters?: readonly SqlValue[]): Eventually<number>
}
