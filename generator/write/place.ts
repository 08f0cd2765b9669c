import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { onDisk } from './output-error.ts'
import { quoted } from './quoted.ts'

/** The state of a path in the output. */
export type Place =
  { readonly kind: 'absent' } | { readonly kind: 'file' } | { readonly kind: 'blocked'; readonly problem: string }

/**
 * Checks every part of `path`, which is relative to `root`, with `/`. A path is blocked if writing would be unsafe: the
 * root is no folder, the path is no file, a parent of the path is no folder, or a symbolic link leads out of the root
 * or to nothing. Throws `OutputError` if the system refuses to read.
 */
export const lookAt = (root: string, path: string): Place => onDisk('read', join(root, path), () => look(root, path))

function look(root: string, path: string): Place {
  if (!found(root)) return { kind: 'absent' }
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    return blocked(root, 'is no folder: choose another --out')
  }
  const parts = path.split('/')
  let current = root
  for (const [index, part] of parts.entries()) {
    current = join(current, part)
    const isLast = index === parts.length - 1
    const stats = found(current)
    if (!stats) return { kind: 'absent' }
    if (stats.isSymbolicLink() && !leadsInside(root, current)) {
      return blocked(current, 'is a symbolic link that leads out of the output folder: remove it')
    }
    const target = statSync(current)
    if (isLast && !target.isFile()) return blocked(current, 'stands where a file belongs: move it away')
    if (!isLast && !target.isDirectory()) return blocked(current, 'stands where a folder belongs: move it away')
  }
  return { kind: 'file' }
}

const found = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const blocked = (path: string, what: string): Place => ({ kind: 'blocked', problem: `${quoted(path)} ${what}` })

function leadsInside(root: string, link: string): boolean {
  if (!statSync(link, { throwIfNoEntry: false })) return false
  const way = relative(realpathSync(root), realpathSync(link))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
