/**
 * This module reads and extends JSON pointers (RFC 6901) over plain data. Only own members count, so `constructor` and
 * `__proto__` are ordinary names.
 */

/** The members of a plain data record. */
export type Members = Readonly<Record<string, unknown>>

/** Whether a value is an object, but no list. */
export const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the own member of a record; undefined if the value is no record or lacks the member. */
export const own = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Returns `pointer` extended by one member or element. */
export const into = (pointer: string, segment: string | number): string =>
  typeof segment === 'number' ? `${pointer}/${segment}` : `${pointer}/${escaped(segment)}`

const escaped = (segment: string): string =>
  /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment

/**
 * Returns the unescaped names of a pointer; undefined if the pointer does not begin with `/`. The empty pointer refers
 * to the root.
 */
export function segments(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Returns the member or element of a value at one name of a pointer; undefined if it is absent. */
export function step(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9][0-9]*)$/.test(segment) ? value[Number(segment)] : undefined
  return own(value, segment)
}
