import type { BinaryExpression, Matching } from '../language/expression.ts'
import { Grouping } from './grouping.ts'
import type { LabelSet } from './label-set.ts'
import { changesMetric, operationOf, type Operation } from './operations.ts'
import type { QueryBudget } from './query-budget.ts'
import { executionFailed, isSeen, mergeRows, type Row } from './vectors.ts'

/** The grouping by which elements of two vectors match. */
export const signatureOf = ({ on, labels }: Matching): Grouping => new Grouping(labels, !on)

/** Returns at which times one of the rows has an element. */
export function presence(rows: readonly Row[], count: number): Uint8Array {
  const has = new Uint8Array(count)
  for (const row of rows) for (let i = 0; i < count; i += 1) if (row.has[i] === 1) has[i] = 1
  return has
}

/** Rows by the key of their match group. */
export function byKey(rows: readonly Row[], grouping: Grouping): ReadonlyMap<string, readonly Row[]> {
  const [groups, keys] = [grouping.groups(rows), new Map<string, readonly Row[]>()]
  for (const group of groups) if (group[0] !== undefined) keys.set(grouping.keyOf(group[0].labels), group)
  return keys
}

/** The operator of an operation on two vectors, and how their elements match. */
export type MatchedOperation = Pick<BinaryExpression, 'bool' | 'matching' | 'operator'>

/**
 * An arithmetic operation or a comparison of two vectors. Throws QUERY_EXECUTION_FAILED if, at a time, two elements of a
 * side that must have one match, or if two results have the same labels.
 */
export class VectorOperation {
  readonly #binary: MatchedOperation
  readonly #budget: QueryBudget
  readonly #count: number
  readonly #operation: Operation
  /** The labels that the result of a one-to-one match loses or keeps. */
  readonly #matched: ReadonlySet<string>

  /** `count` is the number of times of the grid; `operation` is what the operator does, if not the same as in PromQL. */
  constructor(
    binary: MatchedOperation,
    count: number,
    budget: QueryBudget,
    operation = operationOf(binary.operator, binary.bool, 'left'),
  ) {
    this.#binary = binary
    this.#budget = budget
    this.#count = count
    this.#operation = binary.matching.many === 'right' ? (many, one) => operation(one, many) : operation
    this.#matched = new Set(binary.matching.labels)
  }

  apply(left: readonly Row[], right: readonly Row[]): readonly Row[] {
    const { matching } = this.#binary
    const [many, one] = matching.many === 'right' ? [right, left] : [left, right]
    const signature = signatureOf(matching)
    const ones = byKey(one, signature)
    this.#requireOne(ones, many)
    const taken = new TakenTimes(this.#count)
    const rows: Row[] = []
    for (const row of many) {
      const key = signature.keyOf(row.labels)
      for (const match of ones.get(key) ?? []) {
        const labels = this.#labels(row.labels, match.labels)
        const combined = this.#combine(labels, row, match, taken.of(key, matching.many === undefined ? '' : labels.key))
        if (isSeen(combined)) rows.push(combined)
      }
    }
    return mergeRows(rows)
  }

  /** Throws if two elements of the side of one are in one match group at a time at which the other side has elements. */
  #requireOne(ones: ReadonlyMap<string, readonly Row[]>, many: readonly Row[]): void {
    let other: Uint8Array | undefined
    for (const rows of ones.values()) {
      if (rows.length < 2) continue
      other ??= presence(many, this.#count)
      const seen = new Uint8Array(this.#count)
      for (const { has } of rows) {
        for (let i = 0; i < this.#count; i += 1) {
          if (has[i] !== 1 || other[i] !== 1) continue
          if (seen[i] === 1) {
            const side = this.#binary.matching.many === 'right' ? 'left' : 'right'
            throw executionFailed(
              'MANY_TO_MANY',
              `several elements match on the ${side} side: their labels must be unique`,
            )
          }
          seen[i] = 1
        }
      }
    }
  }

  #combine(labels: LabelSet, many: Row, one: Row, taken: Uint8Array): Row {
    this.#budget.hold(this.#count)
    const row = { labels, values: new Float64Array(this.#count), has: new Uint8Array(this.#count) }
    for (let i = 0; i < this.#count; i += 1) {
      if (many.has[i] !== 1 || one.has[i] !== 1) continue
      if (taken[i] === 1) throw this.#severalMatches()
      taken[i] = 1
      const value = this.#operation(many.values[i] ?? 0, one.values[i] ?? 0)
      if (value === undefined) continue
      row.values[i] = value
      row.has[i] = 1
    }
    return row
  }

  #severalMatches(): Error {
    const isOneToOne = this.#binary.matching.many === undefined
    const advice = isOneToOne ? 'group_left or group_right allows it' : 'the labels of the results must differ'
    return executionFailed('MANY_TO_ONE', `several elements match one element: ${advice}`)
  }

  #labels(many: LabelSet, one: LabelSet): LabelSet {
    const { operator, bool, matching } = this.#binary
    let labels = changesMetric(operator, bool) ? many.withoutMetadata() : many
    if (matching.many === undefined) labels = matching.on ? labels.keep(this.#matched) : labels.without(this.#matched)
    for (const name of matching.include) labels = labels.set(name, one.get(name))
    return labels
  }
}

/** The times at which a match group already has a result, by the labels that must differ within the group. */
class TakenTimes {
  readonly #count: number
  readonly #times = new Map<string, Map<string, Uint8Array>>()

  constructor(count: number) {
    this.#count = count
  }

  of(group: string, labels: string): Uint8Array {
    let times = this.#times.get(group)
    if (times === undefined) this.#times.set(group, (times = new Map<string, Uint8Array>()))
    let taken = times.get(labels)
    if (taken === undefined) times.set(labels, (taken = new Uint8Array(this.#count)))
    return taken
  }
}
