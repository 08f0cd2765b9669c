import { ts } from 'ts-morph'
import type { Source } from './source.ts'

/** An `import`, re-export, dynamic import or `import()` type of a file. */
export interface Import {
  readonly specifier: string
  readonly line: number
  /** True if the import leaves no trace in the compiled file. */
  readonly typeOnly: boolean
}

/** A parsed file with the facts that the rules need. */
export interface Syntax extends Source {
  readonly imports: readonly Import[]
  readonly tree: ts.SourceFile
}

/** Parses with TypeScript's own parser, so that strings and comments never count as imports. */
export function parse({ path, text }: Source): Syntax {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imports: Import[] = []
  walk(tree, node => {
    const found = importOf(node)
    if (found) imports.push({ ...found, line: lineOf(tree, node) })
  })
  return { path, text, tree, imports }
}

/** Visits a node and its descendants, in source order. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, child => walk(child, visit))
}

/** Returns the line of a node, counted from 1. */
export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
}

function importOf(node: ts.Node): Omit<Import, 'line'> | undefined {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, isTypeImport(node.importClause))
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return named(node.argument.literal, true)
  if (!ts.isCallExpression(node)) return undefined
  const { expression } = node
  const loads =
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require')
  return loads ? named(node.arguments[0], false) : undefined
}

function named(specifier: ts.Node | undefined, typeOnly: boolean): Omit<Import, 'line'> | undefined {
  return specifier && ts.isStringLiteralLike(specifier) ? { specifier: specifier.text, typeOnly } : undefined
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.isTypeOnly) return true
  const { name, namedBindings } = clause
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
  )
}
