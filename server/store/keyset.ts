import type { SortKey } from '../../runtime/filter/types.ts'
import type { SqlValue } from './connection.ts'
import type { OrderTerm } from './order.ts'
import type { Condition } from './condition.ts'

/** Rows of a keyset, for which all conditions hold, and the terms that order them: those before have one value in all. */
export interface Segment {
  readonly conditions: readonly Condition[]
  readonly order: readonly OrderTerm[]
}

/** A condition on the first of some terms, and the terms that order the rows that it holds for. */
interface Range extends Condition {
  readonly order: readonly OrderTerm[]
}

/**
 * The rows behind a keyset as segments, each with the conditions `others`, whose rows follow each other in the order:
 * first those that agree with the keys in all terms but the last, at the end those that differ in the first. Each is a
 * range of an index, which one comparison over all terms is not once directions differ or a value is not set. NULL sorts
 * first ascending.
 */
export function* segmentsAfter(
  order: readonly OrderTerm[],
  after: readonly SortKey[],
  others: readonly Condition[],
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

/** Rows compare as a whole where all terms go one way and are always set. */
function isOneRange(order: readonly OrderTerm[]): boolean {
  return order.every(({ descending, isNullable }) => !isNullable && descending === order[0]?.descending)
}

function behindAll(order: readonly OrderTerm[], keys: readonly SqlValue[]): Condition {
  const expressions = order.map(({ expression }) => expression).join(', ')
  const comparison = order[0]?.descending ? '<' : '>'
  return { sql: `(${expressions}) ${comparison} (${keys.map(() => '?').join(', ')})`, parameters: keys }
}

/** `expression` is `key`, which may be null: not set. */
export function equals(expression: string, key: SqlValue): Condition {
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

/** Holds when all of them hold. */
export const all = (conditions: readonly Condition[]): Condition => joined(conditions, 'AND', 'TRUE')

/** Holds when one of them holds. */
export const any = (conditions: readonly Condition[]): Condition => joined(conditions, 'OR', 'FALSE')

function joined(conditions: readonly Condition[], by: 'AND' | 'OR', none: string): Condition {
  if (conditions.length === 0) return { sql: none, parameters: [] }
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(` ${by} `),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  }
}
