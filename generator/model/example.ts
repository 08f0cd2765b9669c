import { elements, member, members } from '../read/located.ts'
import { own } from '../read/pointer.ts'
import type { Located } from '../read/types.ts'

/**
 * Returns the example of a schema, parameter or media type as an object to spread: the value of `example`, or of the
 * first of `examples` with a value. Returns an empty object without an example.
 */
export function exampleAt(at: Located): { readonly example?: unknown } {
  if (own(at.value, 'example') === undefined && own(at.value, 'examples') === undefined) return {}
  const written = members(member(at, 'examples')).flatMap(([, each]) => member(each, 'value') ?? [])
  // The `examples` of a schema are a list of values, in OpenAPI 3.1.
  const [listed] = elements(member(at, 'examples'))
  const found = [member(at, 'example'), ...written, listed].find(each => each !== undefined)
  return found === undefined ? {} : { example: found.value }
}
