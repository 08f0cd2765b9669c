import type { Matching } from '../../promql/language/expression.ts'
import type { BinaryOperator } from '../../promql/language/operators.ts'
import type { LabelCondition, LogExpression } from './log-expression.ts'
import type { RangeOperation, VectorOperator } from './operators.ts'

/** The offset in the text of the query at which a part begins, in UTF-16 code units from 0. */
interface Placed {
  readonly position: number
}

/** A number. It is a scalar; arithmetic on numbers alone is done when the query is read. */
export interface NumberLiteral extends Placed {
  readonly kind: 'number'
  readonly value: number
}

/** One element without labels, with the same value at all times. */
export interface ConstantVector extends Placed {
  readonly kind: 'vector'
  readonly value: number
}

/** The grouping of elements by labels, or by all labels but some. */
export interface Grouped {
  readonly without: boolean
  readonly labels: readonly string[]
}

/** Takes the value of an entry from a label. */
export interface Unwrap {
  readonly label: string
  readonly conversion: 'number' | 'duration' | 'bytes'
  /** Conditions on the labels after the conversion, all of which must hold. */
  readonly filters: readonly LabelCondition[]
}

/** A function of the entries in a window of time. */
export interface RangeAggregation extends Placed {
  readonly kind: 'range'
  readonly operation: RangeOperation
  /** The first argument of `quantile_over_time`. */
  readonly parameter?: number
  readonly log: LogExpression
  readonly unwrap?: Unwrap
  /** The length of the window in milliseconds. */
  readonly range: number
  /** The time by which the window lies in the past, in nanoseconds; negative for the future. */
  readonly offset: number
  readonly grouping?: Grouped
}

export interface VectorAggregation extends Placed, Grouped {
  readonly kind: 'aggregation'
  readonly operator: VectorOperator
  /** How many elements `topk` and `bottomk` keep. */
  readonly parameter?: number
  readonly expression: MetricExpression
}

export interface BinaryOperation extends Placed {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: MetricExpression
  readonly right: MetricExpression
  /** Whether a comparison gives 0 and 1 instead of a selection. */
  readonly bool: boolean
  readonly matching: Matching
}

/** A metric query. Parentheses leave no trace. */
export type MetricExpression = NumberLiteral | ConstantVector | RangeAggregation | VectorAggregation | BinaryOperation

/** A query in LogQL. */
export type Expression = LogExpression | MetricExpression
