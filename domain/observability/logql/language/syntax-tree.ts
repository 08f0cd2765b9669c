import type { SyntaxNode } from '@lezer/common'
import { parser } from '@grafana/lezer-logql'
import type { QueryFaults } from '../../promql/language/faults.ts'
import { checkTree, childrenOf, requireShallow } from '../../promql/language/syntax-tree.ts'
import { nanosecondsOf } from './durations.ts'
import { emptySelector } from './read-log-expression.ts'

/** The tree of a query. */
export interface QueryTree {
  /** The node of the expression. */
  readonly expression: SyntaxNode
  /** The nanoseconds of `offset` after a range, by the offset in the text at which the range ends. */
  readonly offsets: ReadonlyMap<number, number>
}

/** Strings, comments and ranges with `offset`, so that quoted text is no clause. */
const clauses =
  /"(?:[^"\\\n]|\\.)*"|`[^`]*`|#[^\n]*|(?<range>\[[^\]"`#]*\])(?<space>\s*)(?<clause>offset\s+(?<offset>-?[\d.]+[a-zµμ][\da-zµμ.]*))/g

/**
 * Parses a query into the tree of the grammar. Throws SELECTOR_EMPTY for an empty selector before the first syntax error,
 * the error of a syntax error or of an empty query, and of an expression that is nested too deeply for recursion.
 */
export function queryTree(query: string, faults: QueryFaults, field: string): QueryTree {
  requireShallow(query, faults)
  const offsets = new Map<number, number>()
  const tree = parser.parse(withoutOffsets(query, offsets))
  let isFaulty = false
  tree.iterate({
    enter: ({ name, type, from }) => {
      isFaulty ||= type.isError
      if (!isFaulty && name === 'Selector' && /^\{\s*\}/.test(query.slice(from))) throw emptySelector(field)
    },
  })
  checkTree(tree, query, faults)
  const [expression] = childrenOf(tree.topNode)
  if (expression === undefined) throw faults.syntax(query.length, 'an expression is missing')
  return { expression, offsets }
}

/**
 * Replaces the clauses `offset` by spaces and stores their values: the grammar accepts them after a range, but not after a
 * range that follows `unwrap`, where Loki accepts them too.
 */
function withoutOffsets(query: string, offsets: Map<number, number>): string {
  let text = ''
  let from = 0
  for (const match of query.matchAll(clauses)) {
    const { range, space = '', clause, offset = '' } = match.groups ?? {}
    const nanoseconds = nanosecondsOf(offset)
    if (range === undefined || clause === undefined || nanoseconds === undefined) continue
    const end = match.index + range.length
    offsets.set(end, nanoseconds)
    text += query.slice(from, end + space.length) + ' '.repeat(clause.length)
    from = end + space.length + clause.length
  }
  return text + query.slice(from)
}
