import type { SyntaxNode } from '@lezer/common'
import type { QueryFaults } from '../../promql/language/faults.ts'

/** The characters between the parts of a query that have no node of their own. */
const betweenParts = /^[\s()[\]{}.,:|]*$/

/** A part that is written as it is: a keyword, a name, a number, a duration or an operator. */
const plainPart = /^(?:[\w.:+-]*(?:\(\))?|[-+*/%^@=<>!~|&]+)$/

const comments: ReadonlySet<string> = new Set(['BlockComment', 'LineComment'])

/**
 * Writes a query anew from its syntax tree, with a space for any blanks and comments. `print` returns the text of a node
 * whose parts must not be written one by one; undefined for a node of which it writes the parts. A part that is neither
 * printed nor plain, and other text between parts, is a syntax error: nothing that the grammar has skipped is written.
 */
export function printedQuery(
  query: string,
  top: SyntaxNode,
  faults: QueryFaults,
  print: (node: SyntaxNode) => string | undefined,
): string {
  let text = ''
  let end = top.from
  const addBetween = (to: number): void => {
    const between = query.slice(end, to)
    if (!betweenParts.test(between)) throw faults.syntax(end, 'this part of the query cannot be sent to the engine')
    text += between.replaceAll(/\s+/g, ' ')
  }
  const add = (node: SyntaxNode, part: string): void => {
    addBetween(node.from)
    text += part
    end = node.to
  }
  const visit = (node: SyntaxNode): void => {
    if (comments.has(node.name)) return add(node, ' ')
    const printed = print(node)
    if (printed !== undefined) return add(node, printed)
    if (node.firstChild === null) return add(node, plain(query, node, faults))
    for (let child: SyntaxNode | null = node.firstChild; child !== null; child = child.nextSibling) visit(child)
  }
  visit(top)
  addBetween(top.to)
  return text
}

function plain(query: string, { from, to }: SyntaxNode, faults: QueryFaults): string {
  const part = query.slice(from, to).replaceAll(/\s/g, '')
  if (plainPart.test(part)) return part
  throw faults.syntax(from, 'this part of the query cannot be sent to the engine')
}
