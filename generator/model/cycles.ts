/** A directed graph: the targets of a node's edges, keyed by the node. */
export type Graph = ReadonlyMap<string, readonly string[]>

/**
 * Returns the nodes of a graph that lie on a cycle. Computes Tarjan's strongly connected components without recursion.
 */
export function onCycles(graph: Graph): ReadonlySet<string> {
  const search = new Search(graph)
  for (const node of graph.keys()) search.from(node)
  return search.found
}

class Search {
  readonly found = new Set<string>()
  readonly #graph: Graph
  /** The order number of each visited node, keyed by the node. */
  readonly #order = new Map<string, number>()
  /** The smallest order number that the search has reached from a node, keyed by the node. */
  readonly #low = new Map<string, number>()
  /** The visited nodes whose component is still unknown. */
  readonly #open: string[] = []
  readonly #isOpen = new Set<string>()
  readonly #path: { readonly node: string; next: number }[] = []

  constructor(graph: Graph) {
    this.#graph = graph
  }

  from(root: string): void {
    if (this.#order.has(root)) return
    this.#enter(root)
    for (let top = this.#path.at(-1); top; top = this.#path.at(-1)) {
      const target = this.#graph.get(top.node)?.[top.next++]
      if (target === undefined) this.#leave(top.node)
      else if (!this.#order.has(target)) this.#enter(target)
      else if (this.#isOpen.has(target)) this.#lower(top.node, this.#order.get(target))
    }
  }

  #enter(node: string): void {
    const index = this.#order.size
    this.#order.set(node, index)
    this.#low.set(node, index)
    this.#open.push(node)
    this.#isOpen.add(node)
    this.#path.push({ node, next: 0 })
  }

  #leave(node: string): void {
    this.#path.pop()
    const parent = this.#path.at(-1)
    if (parent) this.#lower(parent.node, this.#low.get(node))
    if (this.#low.get(node) !== this.#order.get(node)) return
    const component = this.#open.splice(this.#open.lastIndexOf(node))
    const isCycle = component.length > 1 || this.#graph.get(node)?.includes(node)
    for (const member of component) {
      this.#isOpen.delete(member)
      if (isCycle) this.found.add(member)
    }
  }

  #lower(node: string, to = Infinity): void {
    this.#low.set(node, Math.min(this.#low.get(node) ?? Infinity, to))
  }
}
