import { QueryFaults } from '../../promql/language/faults.ts'
import { parseQuery, parseSelector } from '../../promql/language/parse.ts'
import { SelectorReader } from '../../promql/language/read-selector.ts'
import { syntaxTree } from '../../promql/language/syntax-tree.ts'
import { requireKnownFaults } from './known-faults.ts'
import { printedQuery } from './printed-query.ts'
import { admitName, literalText, selectorText, type LabelledWorkspace } from './workspace-label.ts'

/**
 * Returns the text of a query for a store of others, in which every selector selects the series of the workspace alone.
 * The text is written anew from the syntax tree, so that what the platform reads as a string, a name or a comment is
 * nothing else for the store. In a query with a labelled workspace, its label may not occur, nor `info`, which reads
 * series that no selector names.
 *
 * Throws QUERY_SYNTAX_INVALID, QUERY_TYPE_INVALID and QUERY_LIMIT_EXCEEDED as `parseQuery`, and QUERY_FEATURE_UNSUPPORTED
 * for the label. Constructs that the platform does not evaluate itself pass.
 */
export function promqlText(query: string, workspace: LabelledWorkspace, field = 'query'): string {
  requireKnownFaults(() => parseQuery(query, field))
  const faults = new QueryFaults(field)
  const reader = new SelectorReader(query, faults)
  const string = (text: string, position: number): string => {
    admitName(text, workspace, position, faults)
    return literalText(text)
  }
  return printedQuery(query, syntaxTree(query, faults), faults, node => {
    const { from, name, to } = node
    if (name === 'StringLiteral') return string(reader.string(node), from)
    if (name === 'Info' && workspace !== undefined) throw faults.unsupported(from, 'info')
    if (name === 'LabelName') admitName(query.slice(from, to), workspace, from, faults)
    if (name !== 'VectorSelector') return undefined
    const { matchers } = reader.selector(node)
    for (const matcher of matchers) admitName(matcher.name, workspace, from, faults)
    return selectorText(matchers, workspace)
  })
}

/** Returns the text of one series selector; throws as `promqlText`. */
export function promqlSelectorText(selector: string, workspace: LabelledWorkspace, field: string): string {
  const matchers = parseSelector(selector, field)
  for (const { name } of matchers) admitName(name, workspace, 0, new QueryFaults(field))
  return selectorText(matchers, workspace)
}
