/** The largest size of the name of an object in bytes of UTF-8. */
export const maxObjectNameBytes = 1024

/** Matches control characters of ASCII and of Latin-1. */
const control = /[\u0000-\u001f\u007f-\u009f]/

/**
 * Returns the fault of the name of an object, as a predicate; undefined for a valid name: 1 to 1024 bytes of UTF-8
 * without control characters, a leading `/` and segments `.` and `..`, which libraries for URLs would change.
 */
export function objectNameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if (Buffer.byteLength(name) > maxObjectNameBytes) return `must have at most ${maxObjectNameBytes} bytes of UTF-8`
  if (!name.isWellFormed()) return 'must not have an unpaired surrogate'
  if (control.test(name)) return 'must not have control characters'
  if (name.startsWith('/')) return 'must not begin with `/`'
  const isRelative = name.split('/').some(segment => segment === '.' || segment === '..')
  return isRelative ? 'must not have a segment `.` or `..`' : undefined
}
