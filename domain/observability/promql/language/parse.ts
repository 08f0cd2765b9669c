import type { Matcher } from '../matcher.ts'
import { checkTypes } from './check-types.ts'
import type { Expression, ValueType, VectorSelector } from './expression.ts'
import { QueryFaults } from './faults.ts'
import { ExpressionReader } from './read-expression.ts'
import { syntaxTree } from './syntax-tree.ts'

/** A query that can be evaluated. */
export interface ParsedQuery {
  readonly expression: Expression
  readonly type: ValueType
}

/**
 * Parses a query and checks its types. Throws QUERY_SYNTAX_INVALID, QUERY_TYPE_INVALID, QUERY_FEATURE_UNSUPPORTED, or
 * QUERY_LIMIT_EXCEEDED for an expression that is nested too deeply. `field` is the field of the request that holds it.
 */
export function parseQuery(query: string, field = 'query'): ParsedQuery {
  const faults = new QueryFaults(field)
  const expression = new ExpressionReader(query, faults).read(syntaxTree(query, faults))
  return { expression, type: checkTypes(expression, faults) }
}

/** Returns the matchers of a text that is one series selector, such as `up{job="api"}`; throws as `parseQuery`. */
export function parseSelector(text: string, field: string): readonly Matcher[] {
  const { expression } = parseQuery(text, field)
  const isPlain = expression.kind === 'selector' && expression.offset === undefined && expression.at === undefined
  if (isPlain) return expression.matchers
  throw new QueryFaults(field).type(0, 'a series selector without modifiers is expected')
}

/** Returns all vector selectors of an expression, in the order of the text. */
export function selectorsOf(expression: Expression): readonly VectorSelector[] {
  switch (expression.kind) {
    case 'number':
    case 'string':
      return []
    case 'selector':
      return [expression]
    case 'range':
      return [expression.selector]
    case 'signed':
    case 'subquery':
      return selectorsOf(expression.expression)
    case 'binary':
      return [...selectorsOf(expression.left), ...selectorsOf(expression.right)]
    case 'aggregation':
      return [...(expression.parameter ? selectorsOf(expression.parameter) : []), ...selectorsOf(expression.expression)]
    case 'call':
      return expression.arguments.flatMap(selectorsOf)
  }
}
