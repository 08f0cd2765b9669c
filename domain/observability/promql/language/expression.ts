import type { Matcher } from '../matcher.ts'
import type { AggregationOperator, BinaryOperator } from './operators.ts'

/** The types of values in PromQL: a number, the instant vector, the range vector and a text. */
export type ValueType = 'scalar' | 'vector' | 'matrix' | 'string'

/** The fixed time of the `@` modifier: milliseconds since 1970, or the first or the last time of the whole query. */
export type FixedTime = number | 'start' | 'end'

/** The offset in the text of the query at which a part begins, in UTF-16 code units from 0. */
interface Placed {
  readonly position: number
}

export interface NumberLiteral extends Placed {
  readonly kind: 'number'
  readonly value: number
}

export interface StringLiteral extends Placed {
  readonly kind: 'string'
  readonly value: string
}

/** The modifiers of selectors and subqueries; `offset` in milliseconds, positive into the past. */
interface Shifted {
  readonly offset?: number
  readonly at?: FixedTime
}

/** An instant vector selector. Its matchers include the matcher of the name. */
export interface VectorSelector extends Placed, Shifted {
  readonly kind: 'selector'
  readonly matchers: readonly Matcher[]
}

/** A range vector selector. */
export interface MatrixSelector extends Placed {
  readonly kind: 'range'
  readonly selector: VectorSelector
  /** The length of the window in milliseconds. */
  readonly range: number
}

/** A subquery; `range` and `step` in milliseconds. */
export interface Subquery extends Placed, Shifted {
  readonly kind: 'subquery'
  readonly expression: Expression
  readonly range: number
  readonly step: number
}

/** An expression with the sign `-` or `+`. */
export interface Signed extends Placed {
  readonly kind: 'signed'
  readonly isNegative: boolean
  readonly expression: Expression
}

/** The vector matching of a binary operation. */
export interface Matching {
  /** Whether `labels` are the labels that must agree; otherwise all other labels must agree. */
  readonly on: boolean
  readonly labels: readonly string[]
  /** The side of which several elements may match one element of the other side. */
  readonly many?: 'left' | 'right'
  /** The labels that the result takes from the side of one element. */
  readonly include: readonly string[]
}

export interface BinaryExpression extends Placed {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
  /** Whether a comparison gives 0 and 1 instead of a selection. */
  readonly bool: boolean
  readonly matching: Matching
}

export interface Aggregation extends Placed {
  readonly kind: 'aggregation'
  readonly operator: AggregationOperator
  readonly parameter?: Expression
  readonly expression: Expression
  readonly without: boolean
  readonly labels: readonly string[]
}

export interface Call extends Placed {
  readonly kind: 'call'
  readonly name: string
  readonly arguments: readonly Expression[]
}

/** An expression of PromQL. Parentheses leave no trace. */
export type Expression =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | MatrixSelector
  | Subquery
  | Signed
  | BinaryExpression
  | Aggregation
  | Call
