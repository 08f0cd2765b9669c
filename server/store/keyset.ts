import type { SortKey } from '../../runtime/filter/types.ts'
import type { SqlValue } from './connection.ts'
import type { OrderTerm } from './order.ts'
import type { SqlCondition } from './condition.ts'

/**
 * The rows behind a keyset for which all conditions hold, and the terms of their order. Earlier terms have a single
 * value in all rows of the segment.
 */
export interface Segment {
  readonly conditions: readonly SqlCondition[]
  readonly order: readonly OrderTerm[]
}

/** A condition on the first of some terms, and the order terms of its rows. */
interface Range extends SqlCondition {
  readonly order: readonly OrderTerm[]
}

/**
 * Iterates over the rows behind a keyset in segments, whose rows follow each other in the order; each segment has the
 * conditions `others`. The first segment agrees with the keys in all terms but the last, the last segment differs in
 * the first term. Each segment is a range of an index. A single comparison over all terms is no range if directions
 * differ or values are unset. Ascending, NULL sorts first.
 */
export function* segmentsAfter(
  order: readonly OrderTerm[],
  after: readonly SortKey[],
  others: readonly SqlCondition[],
): Generator<Segment> {
  const keys = order.map((term, i) => term.encode(after[i] ?? null))
  if (isOneRange(order)) {
    yield { conditions: [...others, behindAll(order, keys)], order }
    return
  }
  for (let i = order.length - 1; i >= 0; i -= 1) {
    const equal = order.slice(0, i).map(({ expression }, j) => equals(expression, keys[j] ?? null))
    for (const behind of beyond(order.slice(i), keys[i] ?? null)) {
      yield { conditions: [...others, ...equal, behind], order: behind.order }
    }
  }
}

/** Whether rows can be compared by all terms together: all terms have one direction and no value is unset. */
function isOneRange(order: readonly OrderTerm[]): boolean {
  return order.every(({ descending, isNullable }) => !isNullable && descending === order[0]?.descending)
}

function behindAll(order: readonly OrderTerm[], keys: readonly SqlValue[]): SqlCondition {
  const expressions = order.map(({ expression }) => expression).join(', ')
  const comparison = order[0]?.descending ? '<' : '>'
  return { sql: `(${expressions}) ${comparison} (${keys.map(() => '?').join(', ')})`, parameters: keys }
}

/** Returns the condition that `expression` equals `key`; null stands for unset. */
export function equals(expression: string, key: SqlValue): SqlCondition {
  return key === null
    ? { sql: `${expression} IS NULL`, parameters: [] }
    : { sql: `${expression} = ?`, parameters: [key] }
}

function beyond(order: readonly OrderTerm[], key: SqlValue): readonly Range[] {
  const [term, ...rest] = order
  if (term === undefined) return []
  const { expression, descending, isNullable } = term
  if (key === null) return descending ? [] : [{ sql: `${expression} IS NOT NULL`, parameters: [], order }]
  const set = { sql: `${expression} ${descending ? '<' : '>'} ?`, parameters: [key], order }
  return descending && isNullable ? [set, { ...equals(expression, null), order: rest }] : [set]
}

/** Returns the conjunction of conditions. */
export const all = (conditions: readonly SqlCondition[]): SqlCondition => joined(conditions, 'AND', 'TRUE')

/** Returns the disjunction of conditions. */
export const any = (conditions: readonly SqlCondition[]): SqlCondition => joined(conditions, 'OR', 'FALSE')

function joined(conditions: readonly SqlCondition[], by: 'AND' | 'OR', none: string): SqlCondition {
  if (conditions.length === 0) return { sql: none, parameters: [] }
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(` ${by} `),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  }
}
