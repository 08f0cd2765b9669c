import type { SyntaxNode, Tree } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { maxNesting, quoted, type QueryFaults } from './faults.ts'

/** The largest depth of a syntax tree; an expression adds up to three nodes. */
const maxDepth = 3 * maxNesting

/**
 * Parses a query into the tree of the grammar and returns the node of its expression. Throws the error of a syntax error,
 * of an empty query, and of an expression that is nested too deeply for recursion.
 */
export function syntaxTree(query: string, faults: QueryFaults): SyntaxNode {
  requireShallow(query, faults)
  const tree = parser.parse(query)
  checkTree(tree, query, faults)
  const [expression] = childrenOf(tree.topNode)
  if (expression === undefined) throw faults.syntax(query.length, 'an expression is missing')
  return expression
}

/** Throws the error of an expression that is nested too deeply to be parsed. */
export function requireShallow(query: string, faults: QueryFaults): void {
  if (bracketDepth(query) > maxNesting) throw faults.nesting()
}

/** Returns the largest number of open brackets in a text, those in strings included. */
function bracketDepth(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    depth += '([{'.includes(bracket) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** Throws the error of the first error node of a tree, or of its depth. The walk needs no stack. */
export function checkTree(tree: Tree, query: string, faults: QueryFaults): void {
  let depth = 0
  tree.iterate({
    enter: ({ type, from, to }) => {
      depth += 1
      if (depth > maxDepth) throw faults.nesting()
      if (type.isError) throw faults.syntax(from, `unexpected ${unexpected(query, from, to)}`)
    },
    leave: () => {
      depth -= 1
    },
  })
}

function unexpected(query: string, from: number, to: number): string {
  const rest = query.slice(from).trimStart()
  if (rest === '') return 'end of the query'
  return quoted(to > from ? query.slice(from, to) : (/^(?:\w+|\W)/.exec(rest)?.[0] ?? rest))
}

/** Returns the children of a node, without comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child)
  }
  return children
}
