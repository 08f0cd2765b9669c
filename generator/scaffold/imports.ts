import { type ImportDeclaration, Node, type SourceFile } from 'ts-morph'
import { posix } from 'node:path'
import { type Edit } from './edit.ts'
import { type FileStyle, printWidth } from './file-style.ts'
import type { ImportedSymbol } from './interfaces.ts'
import { type ModuleNaming, specifierOf, withoutEnding } from './modules.ts'

interface Wanted {
  readonly name: string
  readonly local: string
  readonly isType: boolean
}

/**
 * Collects the imports that the additions to one file need. `local` returns the local name of a symbol: the name of an
 * existing import, or a free name if the file already uses the symbol's name.
 */
export class NeededImports {
  readonly #file: SourceFile | undefined
  readonly #naming: ModuleNaming
  readonly #taken: Set<string>
  readonly #wanted = new Map<string, Map<string, Wanted>>()

  /** `file` is undefined for a new file; `declared` holds the names that the new file declares. */
  constructor(file: SourceFile | undefined, naming: ModuleNaming, declared: readonly string[] = []) {
    this.#file = file
    this.#naming = naming
    this.#taken = new Set([...declared, ...(file ? declaredNames(file) : [])])
  }

  /** Returns the local name of a symbol, and adds its import if the file has none. */
  local({ name, module }: ImportedSymbol, isType: boolean): string {
    const wanted = this.#wanted.get(module) ?? new Map<string, Wanted>()
    const local = wanted.get(name)?.local ?? this.#imported(name, module, isType)
    if (local !== undefined) return local
    const free = this.#freeName(name, isType)
    this.#taken.add(free)
    this.#wanted.set(module, wanted.set(name, { name, local: free, isType }))
    return free
  }

  /** Returns the import statements of a new file, a text for each statement. */
  statements(style: FileStyle): string[] {
    return [...this.#wanted].flatMap(([module, names]) => this.#statementsOf(module, [...names.values()], style))
  }

  /** Returns the edits that add the imports to the file. */
  edits(style: FileStyle): Edit[] {
    const edits: Edit[] = []
    const added: string[] = []
    for (const [module, names] of this.#wanted) {
      const values = [...names.values()]
      const hosts = this.#declarationsOf(module).filter(canTakeNames)
      const valueHost = hosts.find(host => !host.isTypeOnly())
      const typeHost = hosts.find(host => host.isTypeOnly()) ?? valueHost
      const hosted = new Map<ImportDeclaration, string[]>()
      const left: Wanted[] = []
      for (const wanted of values) {
        const host = wanted.isType ? typeHost : valueHost
        if (!host) left.push(wanted)
        else hosted.set(host, [...(hosted.get(host) ?? []), specifierText(wanted, host.isTypeOnly())])
      }
      for (const [host, specifiers] of hosted) edits.push(extend(host, specifiers, style))
      added.push(...this.#statementsOf(module, left, style))
    }
    return added.length > 0 ? [...edits, this.#append(added, style)] : edits
  }

  #statementsOf(module: string, names: readonly Wanted[], style: FileStyle): string[] {
    const specifier = `${style.quote}${specifierOf(module, this.#naming)}${style.quote}${style.semicolon}`
    const onlyTypes = names.every(({ isType }) => isType)
    const sorted = names.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(name => specifierText(name, onlyTypes))
    return sorted.length === 0 ? [] : [statement(sorted, onlyTypes, specifier, style)]
  }

  #append(statements: readonly string[], style: FileStyle): Edit {
    const last = this.#file?.getImportDeclarations().at(-1)
    const text = statements.join(style.newline)
    if (!last) return { start: 0, end: 0, text: text + style.newline }
    const after = lineEnd(last.getSourceFile().getFullText(), last.getEnd())
    return { start: after, end: after, text: style.newline + text }
  }

  #imported(name: string, module: string, isType: boolean): string | undefined {
    for (const declaration of this.#declarationsOf(module)) {
      for (const named of declaration.getNamedImports()) {
        const usable = isType || !(declaration.isTypeOnly() || named.isTypeOnly())
        if (named.getName() === name && usable) return named.getAliasNode()?.getText() ?? name
      }
      const namespace = declaration.getNamespaceImport()?.getText()
      if (namespace !== undefined && (isType || !declaration.isTypeOnly())) return `${namespace}.${name}`
    }
    return undefined
  }

  #declarationsOf(module: string): ImportDeclaration[] {
    return (this.#file?.getImportDeclarations() ?? []).filter(declaration => {
      const specifier = declaration.getModuleSpecifierValue()
      if (specifier === specifierOf(module, this.#naming)) return true
      return specifier.startsWith('.') && withoutEnding(posix.join(this.#naming.folder, specifier)) === module
    })
  }

  #freeName(name: string, isType: boolean): string {
    let free = name
    while (this.#taken.has(free)) free = `${free}${isType ? 'Type' : 'Error'}`
    return free
  }
}

const canTakeNames = (declaration: ImportDeclaration): boolean => declaration.getNamedImports().length > 0

function specifierText({ name, local, isType }: Wanted, inTypeOnly: boolean): string {
  const marker = isType && !inTypeOnly ? 'type ' : ''
  return local === name ? `${marker}${name}` : `${marker}${name} as ${local}`
}

function statement(names: readonly string[], onlyTypes: boolean, specifier: string, style: FileStyle): string {
  const start = onlyTypes ? 'import type' : 'import'
  const line = `${start} { ${names.join(', ')} } from ${specifier}`
  if (line.length <= printWidth) return line
  return [`${start} {`, ...names.map(name => `${style.indent}${name},`), `} from ${specifier}`].join(style.newline)
}

/**
 * Returns the edit that appends names to the list of an import. If the line becomes too long, the list is broken into
 * one name on each line.
 */
function extend(declaration: ImportDeclaration, names: readonly string[], style: FileStyle): Edit {
  const text = declaration.getSourceFile().getFullText()
  const specifiers = declaration.getNamedImports()
  const [first, last] = [specifiers[0], specifiers.at(-1)]
  if (!first || !last) throw new RangeError('an import without names cannot be extended')
  const open = text.lastIndexOf('{', first.getStart())
  const close = text.indexOf('}', last.getEnd())
  const inner = text.slice(open + 1, close)
  if (/[\r\n]/.test(text.slice(open, first.getStart()))) {
    const indent = text.slice(text.lastIndexOf('\n', last.getStart()) + 1, last.getStart())
    const separator = `,${style.newline}${/^\s*$/.test(indent) ? indent : style.indent}`
    return { start: last.getEnd(), end: last.getEnd(), text: names.map(name => separator + name).join('') }
  }
  const grown = lineEnd(text, declaration.getEnd()) - text.lastIndexOf('\n', declaration.getStart()) - 1
  const added = names.map(name => `, ${name}`).join('')
  if (grown + added.length <= printWidth || /\/[/*]|[\r\n]/.test(inner)) {
    return { start: last.getEnd(), end: last.getEnd(), text: added }
  }
  const all = [...specifiers.map(specifier => specifier.getText()), ...names]
  const lines = all.map(name => `${style.newline}${style.indent}${name},`).join('')
  return { start: open + 1, end: close, text: lines + style.newline }
}

function lineEnd(text: string, from: number): number {
  const end = /\r?\n|$/.exec(text.slice(from))
  return from + (end?.index ?? 0)
}

function declaredNames(file: SourceFile): string[] {
  return file.getDescendants().flatMap(node => {
    if (Node.isImportClause(node)) return node.getDefaultImport()?.getText() ?? []
    if (Node.isNamespaceImport(node)) return node.getName()
    if (Node.isImportSpecifier(node)) return node.getAliasNode()?.getText() ?? node.getName()
    const isDeclaration =
      Node.isClassDeclaration(node) ||
      Node.isInterfaceDeclaration(node) ||
      Node.isTypeAliasDeclaration(node) ||
      Node.isFunctionDeclaration(node) ||
      Node.isVariableDeclaration(node) ||
      Node.isEnumDeclaration(node) ||
      Node.isTypeParameterDeclaration(node)
    return isDeclaration ? (node.getName() ?? []) : []
  })
}
