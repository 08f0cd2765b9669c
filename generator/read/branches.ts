import { elements, member } from './located.ts'
import { follow } from './resolve.ts'
import type { Loaded, Located } from './types.ts'

/** Yields a schema and all of its `allOf` branches at any depth, each schema once, with references followed. */
export function* branchesOf(loaded: Loaded, at: Located): Generator<Located, void, undefined> {
  const met = new Set<unknown>()
  const pending = [at]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const schema = follow(loaded, next)
    if (!schema || met.has(schema.value)) continue
    met.add(schema.value)
    yield schema
    pending.push(...elements(member(schema, 'allOf')).toReversed())
  }
}
