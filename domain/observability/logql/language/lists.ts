import type { SyntaxNode } from '@lezer/common'

/**
 * Returns the nodes of the items of a list, in the order of the text. In the grammar, the node of a list holds the list of
 * all items but its last ones, and then these items. No list has no items.
 */
export function listed(list: SyntaxNode | null | undefined, item: string): readonly SyntaxNode[] {
  if (list === null || list === undefined) return []
  const items: SyntaxNode[] = []
  for (let node: SyntaxNode | null = list; node !== null; node = node.getChild(list.name)) {
    items.push(...node.getChildren(item).toReversed())
  }
  return items.toReversed()
}
