import type { Filter, FilterValue } from '../../runtime/filter/types.ts'
import { isInt64 } from './columns.ts'
import type { SqlCondition } from './condition.ts'

type Operator = Extract<Filter, { kind: 'compare' }>['operator']

/** Returns the condition `sql operator value`, which is NULL if `sql` is NULL. */
export function comparison(sql: string, operator: Operator, value: FilterValue): SqlCondition {
  if (typeof value === 'bigint' && !isInt64(value)) return beyondInt64(sql, operator, value)
  const spelled = operator === '!=' ? '<>' : operator
  return { sql: `${sql} ${spelled} ?`, parameters: [typeof value === 'boolean' ? Number(value) : value] }
}

/**
 * Returns the condition for an integer that no column can hold: all set values compare with the integer in the same
 * way.
 */
function beyondInt64(sql: string, operator: Operator, value: bigint): SqlCondition {
  const isBelow = value > 0n
  const fits = operator === '!=' || (isBelow ? operator.startsWith('<') : operator.startsWith('>'))
  return { sql: fits ? `${sql} IS NOT NULL` : 'FALSE', parameters: [] }
}
