import { isRecord, type Members } from './pointer.ts'

/** The name of the member of a YAML mapping whose value is a mapping, or a list of mappings, to merge into it. */
const mergeKey = '<<'

/**
 * Replaces the merge keys of parsed YAML by the members that they name, in place. A member of a mapping itself takes
 * precedence over merged members, and an earlier mapping of a list over a later one. Returns false if the merged members
 * would be more than `most`, as those of a document that was made to exhaust the memory.
 */
export function mergeKeys(root: unknown, most: number): boolean {
  const seen = new WeakSet<object>()
  const pending: unknown[] = [root]
  let left = most
  const merge = (target: Members): void => {
    const sources = [target[mergeKey]].flat()
    if (!Object.hasOwn(target, mergeKey) || !sources.every(isRecord)) return
    Reflect.deleteProperty(target, mergeKey)
    for (const source of sources) {
      // A mapping in the place of the merge key may have a merge key itself.
      if (source !== target) merge(source)
      for (const [name, value] of Object.entries(source)) {
        if (Object.hasOwn(target, name) || --left < 0) continue
        Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
      }
    }
  }
  while (pending.length > 0) {
    if (left < 0) return false
    const value = pending.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (isRecord(value)) merge(value)
    for (const inner of Object.values(value).toReversed()) pending.push(inner)
  }
  return left >= 0
}
