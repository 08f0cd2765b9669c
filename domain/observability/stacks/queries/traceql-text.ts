import { parser } from '@grafana/lezer-traceql'
import { stringOf } from '../../promql/language/literals.ts'
import { QueryFaults, quoted } from '../../promql/language/faults.ts'
import { checkedTree, childrenOf } from '../../promql/language/syntax-tree.ts'
import { attributeName } from '../../traceql/literals.ts'
import { parseTraceQl } from '../../traceql/parse.ts'
import type { TraceQuery } from '../../traces/trace-engine.ts'
import { printedQuery } from './printed-query.ts'
import { admitName, literalText, workspaceLabel, type LabelledWorkspace } from './workspace-label.ts'

/**
 * Returns the text of a search in TraceQL for a store of others, which finds all traces that fit and maybe others. Each
 * set of spans in it has the spans of the workspace alone. Throws as `parseTraceQl`, and QUERY_FEATURE_UNSUPPORTED for
 * the label of the workspace as an attribute of resources.
 */
export function traceqlText(query: TraceQuery, workspace: LabelledWorkspace): string {
  const own = workspace === undefined ? [] : [`resource.${workspaceLabel} = ${literalText(workspace)}`]
  const filter = (...conditions: readonly string[]): string => `{ ${[...conditions, ...own].join(' && ')} }`
  const conditions = conditionsOf(query)
  const texts = conditions.length === 0 && query.query.trim() !== '' ? [] : [filter(...conditions)]
  if (query.query.trim() !== '') texts.push(`(${printedSearch(query.query, workspace, inner => filter(...inner))})`)
  return texts.join(' && ')
}

/** Writes a query anew, in which `filter` writes each set of spans with the conditions in it. */
function printedSearch(
  query: string,
  workspace: LabelledWorkspace,
  filter: (inner: readonly string[]) => string,
): string {
  parseTraceQl(query)
  const faults = new QueryFaults('query', 'TRACEQL')
  const admit = (attribute: string, position: number): undefined => {
    const [, name] = /^resource\.([\s\S]*)$/.exec(attribute) ?? []
    if (name !== undefined) admitName(attributeName(name), workspace, position, faults)
  }
  const print = (text: string, isText: boolean, position: number): string | undefined => {
    if (!isText && !/^["`]/.test(text)) return undefined
    const value = stringOf(text)
    if (value === undefined) throw faults.syntax(position, `the string ${quoted(text)} is malformed`)
    return literalText(value)
  }
  const leaf = ({ from, name, to }: { from: number; name: string; to: number }): string | undefined => {
    const text = query.slice(from, to)
    if (name === 'AttributeField') return admit(text, from)
    return name === 'String' || name === 'Identifier' ? print(text, name === 'String', from) : undefined
  }
  return printedQuery(query, checkedTree(parser, query, faults).topNode, faults, node => {
    if (node.name !== 'SpansetFilter') return leaf(node)
    const condition = childrenOf(node).find(({ name }) => name !== 'BlockComment')
    return filter(condition === undefined ? [] : [`(${printedQuery(query, condition, faults, leaf)})`])
  })
}

/** Returns the conditions of a search beside its query, for one span. */
function conditionsOf({ attributes, maxDuration, minDuration, service, spanName }: TraceQuery): readonly string[] {
  return [
    ...(service === '' ? [] : [`resource.service.name = ${literalText(service)}`]),
    ...(spanName === '' ? [] : [`name = ${literalText(spanName)}`]),
    ...(minDuration === undefined ? [] : [`traceDuration >= ${minDuration}ns`]),
    ...(maxDuration === undefined ? [] : [`traceDuration <= ${maxDuration}ns`]),
    ...Object.entries(attributes).map(
      ([key, value]) => `.${keyText(key)} = ${typeof value === 'string' ? literalText(value) : String(value)}`,
    ),
  ]
}

/** Keys with other characters need quotes, which older versions of Tempo do not read. */
const keyText = (key: string): string => (/^[A-Za-z_][\w.-]*$/.test(key) ? key : literalText(key))
