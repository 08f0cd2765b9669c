import { QueryFaults } from '../../promql/language/faults.ts'
import type { Matcher } from '../../promql/matcher.ts'
import type { LogExpression } from './log-expression.ts'
import type { Expression, MetricExpression } from './metric-expression.ts'
import { QueryText } from './query-text.ts'
import { ExpressionReader } from './read-expression.ts'
import { queryTree } from './syntax-tree.ts'

/**
 * Parses a query in LogQL and checks its types. Throws SELECTOR_EMPTY, QUERY_SYNTAX_INVALID, QUERY_TYPE_INVALID,
 * QUERY_FEATURE_UNSUPPORTED, or QUERY_LIMIT_EXCEEDED for an expression that is nested too deeply. `field` is the field of
 * the request that holds the query.
 */
export function parseQuery(query: string, field = 'query'): Expression {
  const faults = new QueryFaults(field, 'LOGQL')
  const { expression, offsets } = queryTree(query, faults, field)
  return new ExpressionReader(new QueryText(query, faults), field, offsets).read(expression)
}

/** Parses a log query, such as the filter of a sink; throws as `parseQuery`. */
export function parseLogQuery(query: string, field = 'query'): LogExpression {
  const expression = parseQuery(query, field)
  if (expression.kind === 'log') return expression
  throw new QueryFaults(field, 'LOGQL').type(0, 'a log query is expected, not a metric query')
}

/** Parses a metric query, such as the query of an alert rule; throws as `parseQuery`. */
export function parseMetricQuery(query: string, field = 'query'): MetricExpression {
  const expression = parseQuery(query, field)
  if (expression.kind !== 'log') return expression
  throw new QueryFaults(field, 'LOGQL').type(0, 'a metric query is expected, not a log query')
}

/** Returns the matchers of a text that is one stream selector, such as `{service_name="api"}`; throws as `parseQuery`. */
export function parseStreamSelector(text: string, field: string): readonly Matcher[] {
  const { matchers, stages } = parseLogQuery(text, field)
  if (stages.length === 0) return matchers
  throw new QueryFaults(field, 'LOGQL').type(0, 'a stream selector without stages is expected')
}
