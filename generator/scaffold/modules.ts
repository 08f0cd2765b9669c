import { posix } from 'node:path'
import type { ImportEnding } from '../options.ts'

const ending = /\.(?:d\.)?[cm]?[jt]sx?$/

/** Removes `.ts`, `.js` or a similar ending from the path of a module, for comparing modules. */
export const withoutEnding = (path: string): string => path.replace(ending, '')

/** The form in which a handwritten file imports modules of the output. */
export interface ModuleNaming {
  /** The folder of the file: absolute, with `/`. */
  readonly folder: string
  /** The ending of the file's relative imports and of its imports through an alias. */
  readonly importEnding: string
  /** The path alias for a folder, such as `@/` for `/project/src/`. */
  readonly alias?: { readonly prefix: string; readonly path: string }
}

/** Returns the form of imports for a new file. */
export const newFileNaming = (folder: string, importEnding: ImportEnding): ModuleNaming => ({ folder, importEnding })

/**
 * Detects the form of a file's imports from an import of a known module; undefined if `specifier` does not mean
 * `module`. A bare specifier means the module through an alias if the last two segments agree, or all segments except
 * the first.
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

/**
 * Returns the specifier with which a file imports a module: the name of a package's module, or a path through the
 * file's alias, or a relative path.
 */
export function specifierOf(module: string, { folder, importEnding, alias }: ModuleNaming): string {
  if (!module.startsWith('/')) return module
  if (alias && module.startsWith(alias.path)) return alias.prefix + module.slice(alias.path.length) + importEnding
  const path = posix.relative(folder, module)
  return (path.startsWith('.') ? path : `./${path}`) + importEnding
}
