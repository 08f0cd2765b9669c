import type { SyntaxNode } from '@lezer/common'
import { listed } from './lists.ts'
import type { Grouped } from './metric-expression.ts'
import type { QueryText } from './query-text.ts'

/** Returns the grouping of an aggregation; by no label if it has none. */
export function groupingOf(node: SyntaxNode, text: QueryText): Grouped {
  const grouping = node.getChild('Grouping')
  if (grouping === null) return { without: false, labels: [] }
  const names = listed(grouping.getChild('Labels'), 'Identifier').map(label => text.of(label))
  return { without: grouping.getChild('Without') !== null, labels: names }
}
