import { countMembers } from './json-text.ts'

/**
 * Whether an object of a valid JSON text has two members of the same name, of which a parser silently keeps the last.
 * `parsed` is the value of the text: it then has fewer members than the text.
 */
export function hasDuplicateKeys(text: string, parsed: unknown): boolean {
  return countMembers(text) > membersOf(parsed)
}

/** Returns the number of members of all objects in a parsed value, without recursion, because its nesting is not checked. */
function membersOf(parsed: unknown): number {
  let count = 0
  const pending = [parsed]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (!Array.isArray(value)) count += inner.length
    for (const each of inner) if (typeof each === 'object') pending.push(each)
  }
  return count
}
