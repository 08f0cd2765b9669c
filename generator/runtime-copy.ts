import { posix } from 'node:path'
import type { ImportEnding } from './options.ts'

/** The name of the folder in the output root that holds a copied runtime. */
export const runtimeFolder = 'runtime'

/**
 * Matches the paths of the modules for serving and calling, which the code that uses the output imports. A test proves
 * that each alternative of the pattern matches a module.
 */
export const servingModules = /^(?:hosts\/.+|call(?:\/.+)?|transport)\.ts$/

const header = '// Copied by ninefold. Do not edit: generate writes it again.\n\n'
const printWidth = 120
const relativeModule = /(\bfrom |\bimport\(|^import )'(\.{1,2}\/[^'\n]+)'/gm
const brokenImport = /^import (type )?\{\n((?: {2}[^\n]+,\n)+)\} from '([^'\n]+)'$/gm

/**
 * Returns the copied files of the runtime, keyed by path relative to the output root: the modules that `generated`
 * imports, the modules for serving and calling, and the modules that these import. `modules` maps paths in the
 * runtime's folder to sources.
 */
export function copyRuntime(
  generated: ReadonlyMap<string, string>,
  modules: ReadonlyMap<string, string>,
  ending: ImportEnding,
): ReadonlyMap<string, string> {
  const needed = new Set<string>()
  const pending = [
    ...importedModules(generated, modules),
    ...[...modules.keys()].filter(name => servingModules.test(name)),
  ]
  for (let module = pending.pop(); module !== undefined; module = pending.pop()) {
    const text = modules.get(module)
    if (text === undefined || needed.has(module)) continue
    needed.add(module)
    for (const imported of relativeImports(text)) pending.push(posix.join(posix.dirname(module), imported))
  }
  const paths = [...needed].sort()
  return new Map(paths.map(path => [`${runtimeFolder}/${path}`, copyOf(modules.get(path) ?? '', ending)]))
}

function importedModules(generated: ReadonlyMap<string, string>, modules: ReadonlyMap<string, string>): string[] {
  const found = new Set<string>()
  for (const [path, text] of generated) {
    for (const imported of relativeImports(text)) {
      const target = posix.join(posix.dirname(path), imported)
      if (target.startsWith(`${runtimeFolder}/`)) found.add(target.slice(runtimeFolder.length + 1))
    }
  }
  return [...found].map(name => `${name.replace(/\.[jt]s$/, '')}.ts`).filter(name => modules.has(name))
}

const relativeImports = (text: string): string[] => [...text.matchAll(relativeModule)].map(match => match[2] ?? '')

function copyOf(text: string, ending: ImportEnding): string {
  const renamed = text.replace(
    relativeModule,
    (_, before: string, module: string) => `${before}'${module.replace(/\.ts$/, ending)}'`,
  )
  return header + (ending === '' ? renamed.replace(brokenImport, joinedIfShort) : renamed)
}

/**
 * Joins the lines of an import that fits on one line, as prettier does: without the ending of its module, an import may
 * be short enough.
 */
function joinedIfShort(broken: string, type: string | undefined, names: string, module: string): string {
  const list = names
    .trim()
    .replace(/,$/, '')
    .replace(/,\n {2}/g, ', ')
  const joined = `import ${type ?? ''}{ ${list} } from '${module}'`
  return joined.length <= printWidth ? joined : broken
}
