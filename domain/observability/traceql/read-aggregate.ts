import type { SyntaxNode } from '@lezer/common'
import type { QueryFaults } from '../promql/language/faults.ts'
import { childrenOf } from '../promql/language/syntax-tree.ts'
import type { AggregateFilter, CompareOperator } from './expression.ts'
import { numberOf } from './literals.ts'

const operators: Readonly<Record<string, CompareOperator>> = {
  '=': '=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/** The aggregates of the subset by their texts without blanks. */
const aggregates: Readonly<Record<string, AggregateFilter['of']>> = { 'count()': 'count', 'avg(duration)': 'duration' }

/**
 * Reads a filter such as `count() > 2` or `avg(duration) >= 1.5s`. Throws QUERY_TYPE_INVALID for a pattern, and
 * QUERY_FEATURE_UNSUPPORTED for other aggregates, and for another right side than a number or a duration.
 */
export function readAggregate(query: string, node: SyntaxNode, faults: QueryFaults): AggregateFilter {
  const [left, operator, right] = childrenOf(node).filter(({ name }) => name !== 'BlockComment')
  const textOf = (of: SyntaxNode | undefined): string => (of === undefined ? '' : query.slice(of.from, of.to))
  const aggregate = textOf(left).replaceAll(/\s/g, '')
  const of = Object.hasOwn(aggregates, aggregate) ? aggregates[aggregate] : undefined
  if (of === undefined) throw faults.unsupported(node.from, aggregate.slice(0, 80))
  const sign = operators[textOf(operator)]
  if (sign === undefined) throw faults.type(operator?.from ?? node.from, 'a number fits no pattern')
  const [, minus = '', digits = ''] = /^(-?)\s*(\S*)$/.exec(textOf(right)) ?? []
  const value = numberOf(digits)
  if (value === undefined) throw faults.unsupported(right?.from ?? node.to, textOf(right).slice(0, 80))
  return { kind: 'aggregate', of, operator: sign, value: minus === '' ? value : -value }
}
