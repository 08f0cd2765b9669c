import { setMember } from '../runtime/json.ts'
import { Faults, isRecord, own } from '../runtime/validation.ts'
import type { CallableOperation } from './catalogue.ts'

/**
 * Returns the member names that an operation knows in its body, or in the object at `path` of the body. A proxy stands
 * in for the object and records the names that the operation's own check reads.
 */
export function knownMembers(
  { check }: CallableOperation,
  request: object,
  body: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): ReadonlySet<string> {
  const names = new Set<string>()
  const recorder = new Proxy<Record<string, unknown>>(
    {},
    {
      get(_, name) {
        if (typeof name === 'string') names.add(name)
        return undefined
      },
    },
  )
  check({ ...request, body: within(body, path, recorder) }, new Faults())
  return names
}

/** Returns a copy of the body in which `replacement` stands at the path. */
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
