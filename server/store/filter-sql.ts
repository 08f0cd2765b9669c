import type { Filter } from '../../runtime/filter/types.ts'
import { unsetValues } from './columns.ts'
import { comparison, valueTest } from './comparison.ts'
import { elementCondition, entryCondition, presentMember } from './filter-json.ts'
import { sqlFunctions } from './functions.ts'
import { all, type Condition } from './keyset.ts'
import { columnNamed, type Columns } from './order.ts'

type Comparison = Extract<Filter, { kind: 'compare' }>
type Like = Extract<Filter, { kind: 'like' }>
type Presence = Extract<Filter, { kind: 'present' }>

/**
 * A checked filter as a condition that is TRUE for the rows that `matches` of the runtime accepts, and FALSE or NULL
 * for the others. What callers wrote is in the parameters only.
 */
export function compileFilter(filter: Filter, columns: Columns): Condition {
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

function any(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return { sql: '0', parameters: [] }
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' OR '),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  }
}

/** Two-valued: what does not match, NULL included, is negated to a match. */
const negated = ({ sql, parameters }: Condition): Condition => ({ sql: `(${sql}) IS NOT TRUE`, parameters })

function compare({ field, key, operator, value }: Comparison, columns: Columns): Condition {
  if (key !== undefined) return entryCondition(field, key, valueTest(field.values ?? 'STRING', operator, value))
  if (field.list) return elementCondition(field, valueTest(field.type, operator, value))
  return comparison(columnNamed(columns, field.name).sql, operator, value)
}

function like({ field, key, pieces, negated: isNegated }: Like, columns: Columns): Condition {
  const test = (sql: string): Condition => ({
    sql: `${isNegated ? 'NOT ' : ''}${sqlFunctions.like}(json_quote(${sql}), ?)`,
    parameters: [JSON.stringify(pieces)],
  })
  if (key !== undefined) return entryCondition(field, key, { test })
  if (field.list) return elementCondition(field, { test })
  return test(columnNamed(columns, field.name).sql)
}

function present({ field, key }: Presence, columns: Columns): Condition {
  if (field.type === 'MAP') return entryCondition(field, key)
  if (field.list || field.type === 'PRESENCE') return presentMember(field)
  const column = columnNamed(columns, field.name)
  const unset = unsetValues[column.type]
  return unset === null
    ? { sql: `${column.sql} IS NOT NULL`, parameters: [] }
    : { sql: `${column.sql} <> ?`, parameters: [unset] }
}
