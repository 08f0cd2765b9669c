import type { Filter } from '../../runtime/filter/types.ts'
import { unsetValues } from './columns.ts'
import { comparison } from './comparison.ts'
import type { ValueTest } from './dialect.ts'
import { all } from './keyset.ts'
import { columnNamed, type Columns } from './order.ts'
import type { SqlCondition } from './condition.ts'

type Comparison = Extract<Filter, { kind: 'compare' }>
type Like = Extract<Filter, { kind: 'like' }>
type Presence = Extract<Filter, { kind: 'present' }>

/**
 * Returns the condition of a checked filter. The condition is TRUE for the rows that `matches` of the runtime accepts,
 * and FALSE or NULL for the others. Texts of callers are parameters only.
 */
export function compileFilter(filter: Filter, columns: Columns): SqlCondition {
  switch (filter.kind) {
    case 'and':
      return all(filter.terms.map(term => compileFilter(term, columns)))
    case 'or':
      return any(filter.terms.map(term => compileFilter(term, columns)))
    case 'not':
      return negated(compileFilter(filter.term, columns))
    case 'compare':
      return compare(filter, columns)
    case 'like':
      return like(filter, columns)
    case 'present':
      return present(filter, columns)
  }
}

function any(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.length === 0) return { sql: 'FALSE', parameters: [] }
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' OR '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  }
}

/** Returns a negation with two values: a row whose condition is NULL matches the negation. */
const negated = ({ sql, parameters }: SqlCondition): SqlCondition => ({ sql: `(${sql}) IS NOT TRUE`, parameters })

function compare({ field, key, operator, value }: Comparison, columns: Columns): SqlCondition {
  const test: ValueTest = sql => comparison(sql, operator, value)
  if (key !== undefined) {
    const type = field.values ?? 'STRING'
    const text = type === 'STRING' && operator === '=' ? String(value) : undefined
    return columns.dialect.entry(field, key, { type, test, text })
  }
  if (field.list) return columns.dialect.element(field, test)
  return test(columnNamed(columns, field.name).sql)
}

function like({ field, key, pieces, negated: isNegated }: Like, columns: Columns): SqlCondition {
  const { dialect } = columns
  const test: ValueTest = value => {
    const { sql, parameters } = dialect.like(value, pieces)
    return { sql: isNegated ? `NOT (${sql})` : sql, parameters }
  }
  if (key !== undefined) return dialect.entry(field, key, { type: 'STRING', test })
  if (field.list) return dialect.element(field, test)
  return test(columnNamed(columns, field.name).sql)
}

function present({ field, key }: Presence, columns: Columns): SqlCondition {
  if (field.type === 'MAP') return columns.dialect.entry(field, key)
  if (field.list || field.type === 'PRESENCE') return columns.dialect.present(field)
  const column = columnNamed(columns, field.name)
  if (field.type === 'ENUM' && field.enumValues) return columns.dialect.anyOf(column.sql, field.enumValues)
  const unset = unsetValues[column.type]
  return unset === null
    ? { sql: `${column.sql} IS NOT NULL`, parameters: [] }
    : { sql: `${column.sql} <> ?`, parameters: [unset] }
}
