import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Graph, onCycles } from '../../../generator/model/cycles.ts'

/** Returns true if a node can be reached from itself, found by a search. */
function reachesItself(graph: Graph, node: string): boolean {
  const met = new Set<string>()
  const pending = [...(graph.get(node) ?? [])]
  for (const next of pending) {
    if (next === node) return true
    if (met.has(next)) continue
    met.add(next)
    pending.push(...(graph.get(next) ?? []))
  }
  return false
}

test('a node is on a cycle if it can be reached from itself', () => {
  const name = fc.constantFrom(...'abcdefgh')
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.array(name, { maxLength: 3 }))), edges => {
      const graph: Graph = new Map(edges)
      const expected = [...graph.keys()].filter(node => reachesItself(graph, node))
      const found = [...onCycles(graph)].filter(node => graph.has(node))
      expect(found.toSorted()).toEqual(expected.toSorted())
    }),
  )
})

test('a chain of 100,000 nodes is followed without recursion', () => {
  const last = 100_000
  const graph = new Map(Array.from({ length: last + 1 }, (_, i) => [`${i}`, [`${(i + 1) % (last + 1)}`]]))
  expect(onCycles(graph).size).toBe(last + 1)
})
