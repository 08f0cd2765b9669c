import { applyEdits, type Edit } from './edit.ts'
import { styleOf } from './file-style.ts'
import { type HandwrittenFile, shownPath } from './handwritten.ts'
import { type Implementation } from './implementations.ts'
import { NeededImports } from './imports.ts'
import { insertion, memberIndent } from './insertion.ts'
import type { ImportedSymbol } from './interfaces.ts'
import { leftovers, positionOf } from './leftovers.ts'
import { membersOf } from './members.ts'
import { merged, nothing, type Scaffolding, warning } from './scaffolding.ts'
import { stub } from './stub.ts'

interface Completion {
  readonly edit: Edit | undefined
  readonly scaffolding: Scaffolding
}

/** Plans the missing stubs in the classes of one handwritten file, and reports leftover methods. */
export function completeFile(
  { path, text, mark }: HandwrittenFile,
  found: readonly Implementation[],
  unimplemented: ImportedSymbol,
  previous: ReadonlyMap<string, ReadonlySet<string>>,
): Scaffolding {
  const first = found[0]
  if (!first) return nothing
  const shown = shownPath(path)
  const imports = new NeededImports(first.file, first.naming)
  const completions = found.map(implementation => complete(implementation, unimplemented, imports, shown))
  const left = found.flatMap(implementation => leftovers(implementation, shown, previous))
  const result = merged([...completions.map(({ scaffolding }) => scaffolding), { ...nothing, diagnostics: left }])
  const edits = completions.flatMap(({ edit }) => edit ?? [])
  if (edits.length === 0) return result
  const changed = applyEdits(text, [...edits, ...imports.edits(styleOf(first.file))])
  return { ...result, files: new Map([[path, mark + changed]]) }
}

function complete(
  { class: of, file, interfaces }: Implementation,
  unimplemented: ImportedSymbol,
  imports: NeededImports,
  shown: string,
): Completion {
  // Two documents may use the same handler name, and a class that implements both interfaces has a single method for
  // the two handlers.
  const methods = [...new Map(interfaces.flatMap(found => found.methods).map(method => [method.name, method])).values()]
  const { names, unknownBase } = membersOf(of)
  const missing = methods.filter(({ name }) => !names.has(name))
  if (missing.length === 0) return { edit: undefined, scaffolding: nothing }
  const className = of.getName() ?? 'class'
  if (unknownBase !== undefined) {
    const lacking = missing.map(({ name }) => name).join(', ')
    const message = `${className} extends ${unknownBase}, which was not found: add ${lacking} yourself if it lacks them`
    return { edit: undefined, scaffolding: warning('unknown-base-class', message, positionOf(of, shown)) }
  }
  const style = styleOf(file)
  const indent = memberIndent(of, style)
  const stubs = missing.map(method => stub(method, unimplemented, imports, style, indent))
  const edit = insertion(of, new Set(methods.map(({ name }) => name)), stubs, style)
  return { edit, scaffolding: { ...nothing, added: missing.map(({ name }) => `${className}.${name}`) } }
}
