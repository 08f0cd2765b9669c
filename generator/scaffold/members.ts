import { posix } from 'node:path'
import type { SourceFile } from 'ts-morph'
import type { Class } from './implementations.ts'
import { withoutEnding } from './modules.ts'

/**
 * The names of a class's instance members, including inherited members. `unknownBase` is the name of a base class that
 * is not in the parsed files; undefined if all base classes are known.
 */
export interface ClassMembers {
  readonly names: ReadonlySet<string>
  readonly unknownBase: string | undefined
}

/** Collects the members of a class and its base classes in the parsed handwritten files. */
export function membersOf(start: Class): ClassMembers {
  const names = new Set<string>()
  const seen = new Set<Class>()
  let current: Class | undefined = start
  while (current && !seen.has(current)) {
    seen.add(current)
    for (const member of current.getInstanceMembers()) names.add(member.getName() ?? '')
    const base: string | undefined = current.getExtends()?.getExpression().getText()
    if (base === undefined) return { names, unknownBase: undefined }
    const next: Class | undefined = classNamed(current.getSourceFile(), base)
    if (!next) return { names, unknownBase: base }
    current = next
  }
  return { names, unknownBase: undefined }
}

function classNamed(file: SourceFile, name: string): Class | undefined {
  const local = file.getClass(name)
  if (local) return local
  for (const declaration of file.getImportDeclarations()) {
    const specifier = declaration.getModuleSpecifierValue()
    if (!specifier.startsWith('.')) continue
    const named = declaration
      .getNamedImports()
      .find(found => (found.getAliasNode()?.getText() ?? found.getName()) === name)
    if (!named) continue
    const module = withoutEnding(posix.join(file.getDirectoryPath(), specifier))
    const target = file
      .getProject()
      .getSourceFiles()
      .find(found => withoutEnding(found.getFilePath()) === module)
    return target?.getClass(named.getName())
  }
  return undefined
}
