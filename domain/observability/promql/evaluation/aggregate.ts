import { formatDecimal } from '../format-value.ts'
import type { Accumulator } from './accumulators.ts'
import { Grouping } from './grouping.ts'
import type { LabelSet } from './label-set.ts'
import type { QueryBudget } from './query-budget.ts'
import type { Row } from './vectors.ts'

/** Aggregates the rows of each group. `accumulator` makes the accumulator of the time with an index. */
export function aggregate(
  rows: readonly Row[],
  grouping: Grouping,
  accumulator: (index: number) => Accumulator,
  budget: QueryBudget,
): readonly Row[] {
  return grouping.groups(rows).map(group => {
    const count = group[0]?.has.length ?? 0
    const aggregates = Array.from<unknown, Accumulator | undefined>({ length: count }, () => undefined)
    for (const { values, has } of group) {
      budget.spend(count)
      for (let i = 0; i < count; i += 1) {
        if (has[i] === 1) (aggregates[i] ??= accumulator(i)).add(values[i] ?? 0)
      }
    }
    budget.hold(count)
    return {
      labels: grouping.labelsOf(labelsOf(group)),
      values: Float64Array.from(aggregates, each => each?.value ?? 0),
      has: Uint8Array.from(aggregates, each => (each === undefined ? 0 : 1)),
    }
  })
}

function labelsOf([first]: readonly Row[]): LabelSet {
  if (first === undefined) throw new RangeError('a group has at least one row')
  return first.labels
}

/** Counts, for each group, the elements with each value; the value becomes the label `label` of the result. */
export function countValues(
  rows: readonly Row[],
  { labels: names, without }: { readonly labels: readonly string[]; readonly without: boolean },
  label: string,
  budget: QueryBudget,
): readonly Row[] {
  const grouping = new Grouping(without ? names : [...names, label], without)
  const counted = new Map<string, Row>()
  for (const row of rows) {
    const known = new Map<number, Row>()
    for (let i = 0; i < row.has.length; i += 1) {
      if (row.has[i] !== 1) continue
      const value = row.values[i] ?? 0
      let count = known.get(value)
      if (count === undefined || value === 0) {
        const labels = row.labels.set(label, formatDecimal(value))
        count = rowOf(counted, grouping, labels, row.has.length, budget)
        known.set(value, count)
      }
      count.has[i] = 1
      count.values[i] = (count.values[i] ?? 0) + 1
    }
  }
  return [...counted.values()]
}

function rowOf(rows: Map<string, Row>, grouping: Grouping, labels: LabelSet, size: number, budget: QueryBudget): Row {
  const key = grouping.keyOf(labels)
  const known = rows.get(key)
  if (known !== undefined) return known
  budget.hold(size)
  const row = { labels: grouping.labelsOf(labels), values: new Float64Array(size), has: new Uint8Array(size) }
  rows.set(key, row)
  return row
}
