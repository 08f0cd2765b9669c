import type { SqlValue } from './connection.ts'

/** A condition of SQL with its parameters. */
export interface SqlCondition {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
}
