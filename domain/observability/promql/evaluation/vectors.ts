import { queryExecutionFailed } from '../../../../output/observability/errors.ts'
import type { LabelSet } from './label-set.ts'

/** The times at which an expression is evaluated: `start + i * step` for `i` below `count`, in milliseconds. */
export interface Grid {
  readonly start: number
  readonly step: number
  readonly count: number
}

/** An element of an instant vector at all times of a grid. Rows share arrays, so nobody changes the arrays of a row. */
export interface Row {
  readonly labels: LabelSet
  readonly values: Float64Array
  /** 1 at the times at which the element exists. */
  readonly has: Uint8Array
}

/** A series of a range vector, without stale marks. */
export interface RangeSeries {
  readonly labels: LabelSet
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Whether a row has an element at any time. */
export const isSeen = ({ has }: Row): boolean => has.includes(1)

/** Returns the error of data that an operation cannot be applied to. */
export const executionFailed = (type: string, description: string): Error =>
  queryExecutionFailed(description, { precondition: [{ type, subject: 'query', description }] })

const duplicateLabels = (): Error =>
  executionFailed('DUPLICATE_LABELS', 'two elements of a vector have the same labels')

/** Makes one row of rows with the same labels. Throws QUERY_EXECUTION_FAILED if two of them exist at the same time. */
export function mergeRows(rows: readonly Row[]): readonly Row[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.labels.key)
    if (group === undefined) groups.set(row.labels.key, [row])
    else group.push(row)
  }
  return groups.size === rows.length ? rows : [...groups.values()].map(mergeGroup)
}

function mergeGroup([first, ...others]: readonly Row[]): Row {
  if (first === undefined) throw duplicateLabels()
  if (others.length === 0) return first
  const merged = { labels: first.labels, values: first.values.slice(), has: first.has.slice() }
  for (const { values, has } of others) {
    for (let i = 0; i < has.length; i += 1) {
      if (has[i] !== 1) continue
      if (merged.has[i] === 1) throw duplicateLabels()
      merged.has[i] = 1
      merged.values[i] = values[i] ?? 0
    }
  }
  return merged
}

/** Throws QUERY_EXECUTION_FAILED if two rows have the same labels, at whatever times. */
export function requireDistinct(rows: readonly Row[]): void {
  if (new Set(rows.map(({ labels }) => labels.key)).size < rows.length) throw duplicateLabels()
}
