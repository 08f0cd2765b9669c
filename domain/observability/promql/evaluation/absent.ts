import type { Expression } from '../language/expression.ts'
import { LabelSet } from './label-set.ts'
import { isSeen, type Row } from './vectors.ts'

/** Returns an element with the value 1 at the times at which none of the rows has an element. */
export function absentRows(argument: Expression, rows: readonly Row[], count: number): readonly Row[] {
  const has = new Uint8Array(count).fill(1)
  for (const row of rows) for (let i = 0; i < count; i += 1) if (row.has[i] === 1) has[i] = 0
  const row = { labels: labelsOfAbsent(argument), values: new Float64Array(count).fill(1), has }
  return isSeen(row) ? [row] : []
}

/** Returns the labels that a selector requires by one matcher `=` each; none for other expressions. */
function labelsOfAbsent(argument: Expression): LabelSet {
  const selector = argument.kind === 'range' ? argument.selector : argument
  if (selector.kind !== 'selector') return LabelSet.empty
  const seen = new Set<string>()
  let labels = LabelSet.empty
  for (const { name, operator, value } of selector.matchers) {
    if (name === '__name__') continue
    labels = labels.set(name, operator === '=' && !seen.has(name) ? value : '')
    if (operator === '=') seen.add(name)
  }
  return labels
}
