import { posix } from 'node:path'
import type { ImportEnding } from '../options.ts'

const ending = /\.(?:d\.)?[cm]?[jt]sx?$/

/** A module's path without `.ts`, `.js` or the like: how files are compared. */
export const withoutEnding = (path: string): string => path.replace(ending, '')

/** How the modules of the output are named in one handwritten file. */
export interface ModuleNaming {
  /** The folder of the file, absolute, with `/`. */
  readonly folder: string
  /** What relative imports, and those through an alias, end in. */
  readonly importEnding: string
  /** Where a path alias stands for a folder: `@/` for `/project/src/`. */
  readonly alias?: { readonly prefix: string; readonly path: string }
}

/** The naming of a file that does not exist yet. */
export const newFileNaming = (folder: string, importEnding: ImportEnding): ModuleNaming => ({ folder, importEnding })

/**
 * The naming that a file uses, read off one import of a known module; undefined when `specifier` does not mean `module`.
 * A bare specifier means it through an alias when the last two segments, or all but its first, agree.
 */
export function namingOf(folder: string, specifier: string, module: string): ModuleNaming | undefined {
  const bare = withoutEnding(specifier)
  const importEnding = specifier.slice(bare.length)
  if (bare.startsWith('.')) return posix.join(folder, bare) === module ? { folder, importEnding } : undefined
  const written = bare.split('/')
  const actual = module.split('/')
  let common = 0
  while (common < written.length && common < actual.length && written.at(-1 - common) === actual.at(-1 - common)) {
    common += 1
  }
  if (common < Math.min(2, written.length - 1) || common === 0) return undefined
  const prefix = bare.slice(0, bare.length - written.slice(-common).join('/').length)
  const path = module.slice(0, module.length - actual.slice(-common).join('/').length)
  return { folder, importEnding, alias: { prefix, path } }
}

/** How a file imports a module: a package's by its name, others through the file's alias or relatively. */
export function specifierOf(module: string, { folder, importEnding, alias }: ModuleNaming): string {
  if (!module.startsWith('/')) return module
  if (alias && module.startsWith(alias.path)) return alias.prefix + module.slice(alias.path.length) + importEnding
  const path = posix.relative(folder, module)
  return (path.startsWith('.') ? path : `./${path}`) + importEnding
}
