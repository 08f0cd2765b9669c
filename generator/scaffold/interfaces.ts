import { type MethodSignature, Node, type Project, type SourceFile, type TypeNode } from 'ts-morph'
import { posix } from 'node:path'
import type { Document, Group, Model } from '../model/types.ts'
import { withoutEnding } from './modules.ts'

/** The source of a type in the generated file, with the names in the source that need an import. */
export interface TypeText {
  readonly text: string
  readonly names: readonly NameUse[]
}

/** A use of a name at the offset `start` of the text; `symbol` is the symbol to import. */
export interface NameUse {
  readonly start: number
  readonly name: string
  readonly symbol: ImportedSymbol
}

/**
 * An exported symbol of a module. `module` is a file path without its ending (absolute, with `/`), or a module of a
 * package.
 */
export interface ImportedSymbol {
  readonly name: string
  readonly module: string
}

/** A method of a handler interface. */
export interface HandlerMethod {
  readonly name: string
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly type: TypeText }[]
  readonly returns: TypeText
}

/** A generated interface `<Resource>Handlers`. */
export interface HandlerInterface extends ImportedSymbol {
  /** The name of the document. */
  readonly document: string
  /** The name of the group, such as `quotaOverrides`. */
  readonly group: string
  readonly methods: readonly HandlerMethod[]
}

/** Returns the handler interfaces that `files` declare, in the order of the documents. `root` is the output root. */
export function handlerInterfaces(
  project: Project,
  model: Model,
  files: ReadonlyMap<string, string>,
  root: string,
): readonly HandlerInterface[] {
  return model.documents.flatMap(document => {
    const path = handlersPath(document, files)
    const text = files.get(path)
    if (text === undefined) return []
    const file = project.createSourceFile(posix.join(root, path), text, { overwrite: true })
    const module = withoutEnding(file.getFilePath())
    const symbols = symbolsOf(file, module)
    return document.groups.map(group => ({
      name: group.interfaceName,
      module,
      document: document.name,
      group: group.name,
      methods: methodsOf(file, group, symbols),
    }))
  })
}

/** Returns the path of a document's handlers file, relative to the output root. */
export const handlersPath = (document: Document, files: ReadonlyMap<string, string>): string =>
  files.has('handlers.ts') ? 'handlers.ts' : `${document.name}/handlers.ts`

/** Returns the method names in a handlers file, keyed by the name of the interface. */
export function methodNames(project: Project, text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const file = project.createSourceFile('/previous-handlers.ts', text, { overwrite: true })
  return new Map(
    file.getInterfaces().map(found => [found.getName(), new Set(found.getMethods().map(method => method.getName()))]),
  )
}

function handlerMethod(
  method: MethodSignature,
  ids: ReadonlyMap<string, string>,
  symbols: ReadonlyMap<string, ImportedSymbol>,
): HandlerMethod {
  const name = method.getName()
  return {
    name,
    operationId: ids.get(name) ?? name,
    parameters: method.getParameters().map(parameter => ({
      name: parameter.getName(),
      type: typeText(parameter.getTypeNode(), symbols),
    })),
    returns: typeText(method.getReturnTypeNode(), symbols),
  }
}

function methodsOf(file: SourceFile, group: Group, symbols: ReadonlyMap<string, ImportedSymbol>): HandlerMethod[] {
  const ids = new Map(group.operations.map(operation => [operation.name, operation.id]))
  const methods = file.getInterface(group.interfaceName)?.getMethods() ?? []
  return methods.map(method => handlerMethod(method, ids, symbols))
}

/**
 * Returns the symbols that the names in a generated file mean, keyed by local name: its imports, and the interfaces
 * that it declares.
 */
function symbolsOf(file: SourceFile, itself: string): ReadonlyMap<string, ImportedSymbol> {
  const symbols = new Map<string, ImportedSymbol>()
  for (const declaration of file.getImportDeclarations()) {
    const specifier = declaration.getModuleSpecifierValue()
    const module = specifier.startsWith('.') ? withoutEnding(posix.join(posix.dirname(itself), specifier)) : specifier
    for (const named of declaration.getNamedImports()) {
      symbols.set(named.getAliasNode()?.getText() ?? named.getName(), { name: named.getName(), module })
    }
  }
  for (const declared of file.getInterfaces())
    symbols.set(declared.getName(), { name: declared.getName(), module: itself })
  return symbols
}

function typeText(node: TypeNode | undefined, symbols: ReadonlyMap<string, ImportedSymbol>): TypeText {
  if (!node) return { text: 'unknown', names: [] }
  const names: NameUse[] = []
  for (const inner of [node, ...node.getDescendants()]) {
    if (!Node.isTypeReference(inner)) continue
    const name = inner.getTypeName()
    const symbol = symbols.get(name.getText())
    if (symbol) names.push({ start: name.getStart() - node.getStart(), name: name.getText(), symbol })
  }
  return { text: node.getText(), names: names.sort((a, b) => a.start - b.start) }
}
