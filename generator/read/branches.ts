import { elements, member } from './located.ts'
import { isExtended } from './dialect.ts'
import { follow } from './resolve.ts'
import type { Loaded, Located } from './types.ts'

/** Yields a schema and all of its `allOf` branches at any depth, each schema once, with references followed. */
export function* branchesOf(loaded: Loaded, at: Located): Generator<Located, void, undefined> {
  const met = new Set<unknown>()
  const pending = [at]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const schema = follow(loaded, next)
    // The keywords beside a reference of OpenAPI 3.1 count like those of a branch.
    if (schema && schema.value !== next.value && isExtended(next) && !met.has(next.value)) {
      met.add(next.value)
      yield next
      pending.push(...elements(member(next, 'allOf')).toReversed())
    }
    if (!schema || met.has(schema.value)) continue
    met.add(schema.value)
    yield schema
    pending.push(...elements(member(schema, 'allOf')).toReversed())
  }
}
