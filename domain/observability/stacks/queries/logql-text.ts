import type { SyntaxNode } from '@lezer/common'
import { parser } from '@grafana/lezer-logql'
import { parseQuery } from '../../logql/language/parse.ts'
import { QueryText } from '../../logql/language/query-text.ts'
import { QueryFaults } from '../../promql/language/faults.ts'
import { checkedTree, childrenOf } from '../../promql/language/syntax-tree.ts'
import { requireKnownFaults } from './known-faults.ts'
import { printedQuery } from './printed-query.ts'
import { admitName, literalText, selectorText, type LabelledWorkspace } from './workspace-label.ts'

/** A query for a store of others. */
export interface LogqlText {
  readonly text: string
  /** Whether the result is that of a metric query, and not entries. */
  readonly isMetric: boolean
}

/**
 * Returns the text of a query for a store of others, in which every selector selects the streams of the workspace alone;
 * see `promqlText`. Throws SELECTOR_EMPTY and QUERY_… as `parseQuery`, and QUERY_FEATURE_UNSUPPORTED for the label of the
 * workspace. Constructs that the platform does not evaluate itself pass.
 */
export function logqlText(query: string, workspace: LabelledWorkspace, field = 'query'): LogqlText {
  requireKnownFaults(() => parseQuery(query, field))
  const faults = new QueryFaults(field, 'LOGQL')
  const { topNode } = checkedTree(parser, query, faults)
  const reader = new QueryText(query, faults)
  const text = printedQuery(query, topNode, faults, node => {
    const { from, name } = node
    if (name === 'String') {
      const literal = reader.string(node)
      if (node.parent?.name === 'LabelReplaceExpr') admitName(literal, workspace, from, faults)
      return literalText(literal)
    }
    if (name === 'Identifier' || name === 'LabelName') admitName(reader.of(node), workspace, from, faults)
    if (name !== 'Selector') return undefined
    const matchers = matchersIn(node).map(each => reader.matcher(each))
    for (const matcher of matchers) admitName(matcher.name, workspace, from, faults)
    return selectorText(matchers, workspace)
  })
  return { text, isMetric: childrenOf(topNode).some(each => each.firstChild?.name === 'MetricExpr') }
}

/** Returns the nodes of the matchers below a node, in the order of the text. */
const matchersIn = (node: SyntaxNode): readonly SyntaxNode[] =>
  node.name === 'Matcher' ? [node] : childrenOf(node).flatMap(matchersIn)
