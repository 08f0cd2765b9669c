import { member, members } from '../read/located.ts'
import type { Located } from '../read/types.ts'

/** The example that stands at a place, spread into its node: `example`, or the first of `examples` that is written out. */
export function exampleAt(at: Located): { readonly example?: unknown } {
  const written = members(member(at, 'examples')).flatMap(([, each]) => member(each, 'value') ?? [])
  const found = [member(at, 'example'), ...written].find(each => each !== undefined)
  return found === undefined ? {} : { example: found.value }
}
