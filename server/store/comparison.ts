import type { Filter, FilterType, FilterValue } from '../../runtime/filter/types.ts'
import { isInt64 } from './columns.ts'
import { sqlFunctions } from './functions.ts'
import type { Condition } from './keyset.ts'

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

/** What is asked of one value inside a body: its types as `json_each` names them, and a condition on its SQL value. */
export interface ValueTest {
  /** Absent: text. */
  readonly types?: readonly string[]
  readonly test: (sql: string) => Condition
}

const typesInJson: Readonly<Partial<Record<FilterType, readonly string[]>>> = {
  INTEGER: ['integer', 'real'],
  NUMBER: ['integer', 'real'],
  BOOLEAN: ['true', 'false'],
}

/** `sql operator value`, NULL where `sql` is. SQLite compares text by the bytes of UTF-8, so by code point. */
export function comparison(sql: string, operator: Operator, value: FilterValue): Condition {
  if (typeof value === 'bigint' && !isInt64(value)) return beyondInt64(sql, operator, value)
  const spelled = operator === '!=' ? '<>' : operator
  return { sql: `${sql} ${spelled} ?`, parameters: [typeof value === 'boolean' ? Number(value) : value] }
}

/** A comparison of a value in a body, where a timestamp has any form and an integer is no text. */
export function valueTest(type: FilterType, operator: Operator, value: FilterValue): ValueTest {
  const test = (sql: string): Condition =>
    comparison(type === 'TIMESTAMP' ? `${sqlFunctions.timestamp}(${sql})` : sql, operator, value)
  const types = typesInJson[type]
  return types === undefined ? { test } : { types, test }
}

/** No column holds such an integer, so all that are set compare alike. */
function beyondInt64(sql: string, operator: Operator, value: bigint): Condition {
  const isBelow = value > 0n
  const fits = operator === '!=' || (isBelow ? operator.startsWith('<') : operator.startsWith('>'))
  return { sql: fits ? `${sql} IS NOT NULL` : '0', parameters: [] }
}
