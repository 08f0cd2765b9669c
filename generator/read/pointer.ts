/** JSON pointers (RFC 6901) over plain data. Only own members count: `constructor` and `__proto__` are names like others. */

export type Members = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The own member of a record; undefined where there is none, or no record. */
export const own = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** `pointer` one member or element further in. */
export const into = (pointer: string, segment: string | number): string =>
  typeof segment === 'number' ? `${pointer}/${segment}` : `${pointer}/${escaped(segment)}`

const escaped = (segment: string): string =>
  /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment

/** The names in a pointer; undefined when it does not begin with `/` (the empty pointer is the whole document). */
export function segments(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map(segment => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The member or element of a value that a name of a pointer leads to; undefined where there is none. */
export function step(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9][0-9]*)$/.test(segment) ? value[Number(segment)] : undefined
  return own(value, segment)
}
