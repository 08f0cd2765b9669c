import { type MethodSignature, Node, type Project, type SourceFile, type TypeNode } from 'ts-morph'
import { posix } from 'node:path'
import type { Document, Group, Model } from '../model/types.ts'
import { withoutEnding } from './modules.ts'

/** A type as the generated file writes it, and where it names something that has to be imported. */
export interface TypeText {
  readonly text: string
  readonly names: readonly NameUse[]
}

/** `name` stands at `start` of the text; `symbol` is what it means. */
export interface NameUse {
  readonly start: number
  readonly name: string
  readonly symbol: ImportedSymbol
}

/** Something that a module exports: a file without its ending (absolute, with `/`), or a package's module. */
export interface ImportedSymbol {
  readonly name: string
  readonly module: string
}

/** One method of a handler interface. */
export interface HandlerMethod {
  readonly name: string
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly type: TypeText }[]
  readonly returns: TypeText
}

/** One `<Resource>Handlers` of the output. */
export interface HandlerInterface extends ImportedSymbol {
  /** Name of the document's output folder. */
  readonly document: string
  /** The resource, `quotaOverrides`. */
  readonly group: string
  readonly methods: readonly HandlerMethod[]
}

/** The handler interfaces of a model as `files` declare them, in the order of the documents. `root` is the output's. */
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

/** Where the handlers of a document stand in an output, relative to its root. */
export const handlersPath = (document: Document, files: ReadonlyMap<string, string>): string =>
  files.has('handlers.ts') ? 'handlers.ts' : `${document.name}/handlers.ts`

/** The methods of each interface of a handlers file, by the interface's name. */
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

/** What the names of a generated file mean: its imports, and the interfaces that it declares itself. */
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
