import type { Matching } from '../language/expression.ts'
import type { SetOperator } from '../language/operators.ts'
import type { QueryBudget } from './query-budget.ts'
import { byKey, presence, signatureOf } from './vector-matching.ts'
import { isSeen, mergeRows, type Row } from './vectors.ts'

/**
 * Returns the elements of the left side that match an element of the right side (`and`) or none (`unless`), or the left
 * side and the elements of the right side that match none of it (`or`). `count` is the number of times.
 */
export function combineSets(
  operator: SetOperator,
  [left, right]: readonly [readonly Row[], readonly Row[]],
  matching: Matching,
  count: number,
  budget: QueryBudget,
): readonly Row[] {
  if (operator === 'or') return mergeRows([...left, ...select(right, left, matching, count, budget, 0)])
  return select(left, right, matching, count, budget, operator === 'and' ? 1 : 0)
}

/** Selects elements of rows at the times at which others match (`kept` = 1), or at which none match (`kept` = 0). */
function select(
  rows: readonly Row[],
  others: readonly Row[],
  matching: Matching,
  count: number,
  budget: QueryBudget,
  kept: 0 | 1,
): readonly Row[] {
  const signature = signatureOf(matching)
  const groups = byKey(others, signature)
  const presences = new Map<string, Uint8Array>()
  const selected: Row[] = []
  for (const row of rows) {
    const key = signature.keyOf(row.labels)
    const group = groups.get(key)
    if (group === undefined) {
      if (kept === 0) selected.push(row)
      continue
    }
    let present = presences.get(key)
    if (present === undefined) presences.set(key, (present = presence(group, count)))
    budget.hold(count)
    const other = present
    selected.push({ ...row, has: row.has.map((is, i) => (is === 1 && other[i] === kept ? 1 : 0)) })
  }
  return selected.filter(isSeen)
}
