import type { AnchoredPattern } from '../promql/anchored-pattern.ts'

/** The members of spans and traces that a query can name without a scope. */
export const intrinsics = [
  'duration',
  'kind',
  'name',
  'rootName',
  'rootServiceName',
  'status',
  'traceDuration',
] as const

/** A member of spans or traces. */
export type Intrinsic = (typeof intrinsics)[number]

/** The types of values. Durations are numbers of nanoseconds; attributes have any type, which each span decides. */
export type ValueType = 'attribute' | 'boolean' | 'kind' | 'number' | 'status' | 'string'

/** A value of the enums `status` and `kind`, of which there is one object for each name. */
export interface EnumValue {
  readonly type: 'kind' | 'status'
  readonly name: string
}

/** A value in a query. */
export type Literal = string | number | boolean | EnumValue

/** A part of a comparison: an attribute, a member, or a value. */
export type Operand =
  | { readonly kind: 'attribute'; readonly scope: 'any' | 'resource' | 'span'; readonly name: string }
  | { readonly kind: 'intrinsic'; readonly name: Intrinsic }
  | { readonly kind: 'literal'; readonly value: Literal }

/** An operator that compares two values. */
export type CompareOperator = '!=' | '<' | '<=' | '=' | '>' | '>='

/** A condition on a span. */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | {
      readonly kind: 'compare'
      readonly operator: CompareOperator
      readonly left: Operand
      readonly right: Operand
    }
  | {
      readonly kind: 'match'
      readonly operand: Operand
      readonly pattern: AnchoredPattern
      readonly isNegated: boolean
    }

/** An expression that selects spans of a trace. */
export type SpansetExpression =
  | { readonly kind: 'filter'; readonly condition: Condition }
  | {
      readonly kind: 'and' | 'child' | 'descendant' | 'or'
      readonly left: SpansetExpression
      readonly right: SpansetExpression
    }
  | Pipeline

/** A filter of the whole set of spans by their number, or by their mean duration in nanoseconds. */
export interface AggregateFilter {
  readonly kind: 'aggregate'
  readonly of: 'count' | 'duration'
  readonly operator: CompareOperator
  readonly value: number
}

/** A pipeline; each stage reads the spans that the stage before has selected. */
export interface Pipeline {
  readonly kind: 'pipeline'
  readonly stages: readonly (AggregateFilter | SpansetExpression)[]
}
