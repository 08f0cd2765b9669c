import { LayerFault } from '../../../../domain/registry/scanning/inventory.ts'

/** The longest path and the longest name in a folder that Linux allows, in bytes. */
export const longestPath = 4096
const longestName = 255

/**
 * Returns the names of the path of an entry, below the root; none for the root itself. Dots are resolved by the text alone,
 * as container engines do. Throws a `LayerFault` for a path out of the root, or one that no file system holds.
 */
export function entryPath(name: string): string[] {
  if (name.includes('\0')) throw new LayerFault('unreadable', 'the name of an entry holds a NUL')
  if (name.length > longestPath) throw tooLong()
  const names: string[] = []
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue
    if (part.length > longestName) throw tooLong()
    if (part !== '..') names.push(part)
    else if (names.pop() === undefined && !name.startsWith('/'))
      throw new LayerFault('unreadable', `the name of an entry leads out of the root: ${shown(name)}`)
  }
  return names
}

/** Returns a path of bytes as text; bytes that are not UTF-8 are replaced. */
export const shown = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')

const tooLong = (): LayerFault =>
  new LayerFault(
    'unreadable',
    `the name of an entry has more than ${longestPath} bytes, or more than ${longestName} in a folder`,
  )
