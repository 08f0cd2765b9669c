import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

interface OwnPackage {
  /** The folder that holds package.json. */
  readonly root: string
  readonly version: string
}

/**
 * Finds the package of this module in the folders above the module, because compiled modules lie in another folder than
 * sources. Throws an `Error` if no such folder holds the package.json of ninefold.
 */
export function ownPackage(): OwnPackage {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = readPackage(join(folder, 'package.json'))
    if (found?.name === 'ninefold') return { root: folder, version: String(found.version) }
  }
  throw new Error('the package.json of ninefold is missing')
}

/**
 * Returns the sources of the runtime's modules, keyed by path below the runtime's folder, with `/`. The imports in the
 * sources end in `.ts`.
 */
export function runtimeSources(): ReadonlyMap<string, string> {
  const folder = join(ownPackage().root, 'runtime')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const modules = names.filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts')).sort()
  return new Map(modules.map(name => [name.split(sep).join('/'), readFileSync(join(folder, name), 'utf8')]))
}

function readPackage(file: string): { readonly name?: unknown; readonly version?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
