import { setMember } from '../runtime/json.ts'
import { Faults, isRecord, own } from '../runtime/validation.ts'
import type { Operation } from './catalogue.ts'

/**
 * The names that an operation knows in its body, or in the object at `path` in it: those that its own check looks for.
 */
export function knownMembers(
  { check }: Operation,
  request: object,
  body: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): ReadonlySet<string> {
  const names = new Set<string>()
  const listening = new Proxy<Record<string, unknown>>(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') names.add(name)
        return undefined
      },
    },
  )
  check({ ...request, body: within(body, path, listening) }, new Faults())
  return names
}

/** A copy of the body in which an object is another one. */
function within(
  body: Readonly<Record<string, unknown>>,
  [name, ...rest]: readonly string[],
  replacement: Record<string, unknown>,
): Record<string, unknown> {
  if (name === undefined) return replacement
  const copy = { ...body }
  const inner = own(body, name)
  setMember(copy, name, within(isRecord(inner) ? inner : {}, rest, replacement))
  return copy
}
