import { type ClassDeclaration, type ClassExpression, Node, type SourceFile } from 'ts-morph'
import type { HandlerInterface } from './interfaces.ts'
import { type ModuleNaming, namingOf } from './modules.ts'

/** A class of a handwritten file. */
export type Class = ClassDeclaration | ClassExpression

/** A handwritten class with `implements <Resource>Handlers`. */
export interface Implementation {
  readonly file: SourceFile
  readonly class: Class
  /** The generated interfaces that the class implements. */
  readonly interfaces: readonly HandlerInterface[]
  /** The names of the implemented interfaces that the handlers file no longer exports. */
  readonly removed: readonly string[]
  /** The form in which the file imports modules of the output. */
  readonly naming: ModuleNaming
}

/** A generated interface that a file imports for any purpose. */
export interface InterfaceUse {
  readonly interface: HandlerInterface
  /** The offset of the import. */
  readonly start: number
}

interface HandlersImport {
  readonly name: string
  readonly module: string
  readonly naming: ModuleNaming
  readonly start: number
}

/**
 * Returns the imports of a file from the handlers files of the output, keyed by local name. A namespace import `types`
 * has the key `types.*`.
 */
function handlersImports(file: SourceFile, modules: ReadonlySet<string>): ReadonlyMap<string, HandlersImport> {
  const folder = file.getDirectoryPath()
  const found = new Map<string, HandlersImport>()
  for (const declaration of file.getImportDeclarations()) {
    const specifier = declaration.getModuleSpecifierValue()
    for (const module of modules) {
      const naming = namingOf(folder, specifier, module)
      if (!naming) continue
      const start = declaration.getStart()
      for (const named of declaration.getNamedImports()) {
        const local = named.getAliasNode()?.getText() ?? named.getName()
        found.set(local, { name: named.getName(), module, naming, start })
      }
      const namespace = declaration.getNamespaceImport()?.getText()
      if (namespace !== undefined) found.set(`${namespace}.*`, { name: '*', module, naming, start })
      break
    }
  }
  return found
}

/** Returns the classes of a file that implement current or removed generated interfaces, in the order of the file. */
export function implementations(file: SourceFile, interfaces: readonly HandlerInterface[]): Implementation[] {
  const imports = handlersImports(file, new Set(interfaces.map(({ module }) => module)))
  if (imports.size === 0) return []
  const found: Implementation[] = []
  for (const node of file.getDescendants()) {
    if (!Node.isClassDeclaration(node) && !Node.isClassExpression(node)) continue
    if (Node.isAmbientable(node) && node.isAmbient()) continue
    const clauses = node.getImplements().flatMap(clause => importedName(clause.getExpression().getText(), imports))
    const first = clauses[0]
    if (!first) continue
    const known = clauses.flatMap(clause => interfaces.filter(candidate => isSame(candidate, clause)))
    const removed = clauses.filter(clause => !interfaces.some(candidate => isSame(candidate, clause)))
    found.push({
      file,
      class: node,
      interfaces: known,
      removed: removed.map(({ name }) => name).filter(name => name.endsWith('Handlers')),
      naming: first.naming,
    })
  }
  return found
}

/** Returns the imports of generated interfaces in a file. */
export function interfaceUses(file: SourceFile, interfaces: readonly HandlerInterface[]): InterfaceUse[] {
  const imports = handlersImports(file, new Set(interfaces.map(({ module }) => module)))
  return [...imports.values()].flatMap(used =>
    interfaces.filter(candidate => isSame(candidate, used)).map(found => ({ interface: found, start: used.start })),
  )
}

const isSame = (a: { name: string; module: string }, b: { name: string; module: string }): boolean =>
  a.name === b.name && a.module === b.module

function importedName(text: string, imports: ReadonlyMap<string, HandlersImport>): HandlersImport[] {
  const direct = imports.get(text)
  if (direct) return [direct]
  const [namespace, name] = text.split('.')
  const whole = imports.get(`${namespace}.*`)
  return whole && name !== undefined ? [{ ...whole, name }] : []
}
