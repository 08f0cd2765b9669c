import type { MetricExpression } from '../language/metric-expression.ts'
import { fieldLabels } from './run-facts.ts'

/** Returns the members of entries that a query names as labels of its groupings and matchings. */
export function namedFields(expression: MetricExpression): readonly string[] {
  const names = new Set(groupedLabels(expression))
  return fieldLabels.filter(name => names.has(name))
}

function groupedLabels(expression: MetricExpression): readonly string[] {
  switch (expression.kind) {
    case 'number':
    case 'vector':
      return []
    case 'range':
      return expression.grouping?.labels ?? []
    case 'aggregation':
      return [...expression.labels, ...groupedLabels(expression.expression)]
    case 'binary': {
      const { labels, include } = expression.matching
      return [...labels, ...include, ...groupedLabels(expression.left), ...groupedLabels(expression.right)]
    }
  }
}
