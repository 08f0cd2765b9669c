import { ts } from 'ts-morph'
import type { Finding, Source } from './source.ts'
import { lineOf, walk, type Syntax } from './syntax.ts'

const vagueNames = /(?:^|\/)(?:utils?|helpers?|common|misc)\.[a-z]+$/
const vagueFolders = /(?:^|\/)(?:utils?|helpers?|misc)\//

/** Finds files whose names do not describe their content. */
export function vagueFiles(files: readonly Source[]): Finding[] {
  return files
    .filter(({ path }) => vagueNames.test(path) || vagueFolders.test(path))
    .map(({ path }) => ({ path, message: 'is named for nothing in particular: name the concept it holds' }))
}

/** Finds default exports, `export *`, and files that only re-export. */
export function vagueExports(files: readonly Syntax[]): Finding[] {
  return files.flatMap(({ path, tree }) => {
    const found: Finding[] = []
    for (const statement of tree.statements) {
      const line = lineOf(tree, statement)
      if (isDefaultExport(statement)) found.push({ path, line, message: 'exports a default: export a name' })
      if (isStarExport(statement)) found.push({ path, line, message: 'exports everything of another file' })
    }
    const passesOn = tree.statements.filter(statement => ts.isExportDeclaration(statement) && statement.moduleSpecifier)
    if (passesOn.length > 0 && passesOn.length === tree.statements.length) {
      found.push({ path, message: 'is a barrel: import from the files themselves' })
    }
    return found
  })
}

function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ?? false
}

function isStarExport(statement: ts.Statement): boolean {
  return (
    ts.isExportDeclaration(statement) &&
    statement.moduleSpecifier !== undefined &&
    (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause))
  )
}

/** Finds uses of the type `any`. */
export function anyTypes(files: readonly Syntax[]): Finding[] {
  return findNodes(files, node => (node.kind === ts.SyntaxKind.AnyKeyword ? 'uses the type any' : undefined))
}

/** Finds calls of `fetch` in code of the server: some answers make it throw an error that ends the process. */
export function serverFetches(files: readonly Syntax[]): Finding[] {
  const ofServer = files.filter(
    ({ path }) => /^(?:domain|server)\//.test(path) && !path.startsWith('server/pages/browser/'),
  )
  return findNodes(ofServer, node =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'fetch'
      ? 'calls fetch: use sendRequest of server/outgoing-request.ts'
      : undefined,
  )
}

const testFunctions = new Set(['it', 'test', 'describe', 'suite', 'bench'])

/** Finds tests that are skipped, or that exclude all other tests. */
export function partialTests(files: readonly Syntax[]): Finding[] {
  return findNodes(files, node => {
    if (!ts.isPropertyAccessExpression(node) || !['only', 'skip', 'todo'].includes(node.name.text)) return undefined
    return testFunctions.has(rootName(node)) ? `says .${node.name.text}: run every test` : undefined
  })
}

/** The functions of vitest whose last argument runs after the hooks of its file are known. */
const running = new Set(['beforeAll', 'beforeEach', 'afterEach', 'it', 'test'])

/** Finds hooks of the end of a file that would be registered too late to run: within another hook or a test, or as a value. */
export function lateHooks(files: readonly Syntax[]): Finding[] {
  return findNodes(files, node => {
    if (!ts.isIdentifier(node) || node.text !== 'afterAll' || ts.isImportSpecifier(node.parent)) return undefined
    const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node
    return isCalled && !isRunning(node)
      ? undefined
      : 'registers a hook that may never run: use afterTests of test/undo.ts'
  })
}

/** Returns whether a node lies in an argument of a function of vitest that runs hooks and tests. */
function isRunning(node: ts.Node): boolean {
  for (let inner = node, outer = node.parent; outer !== undefined; inner = outer, outer = outer.parent)
    if (ts.isCallExpression(outer) && outer.expression !== inner && running.has(rootName(outer.expression))) return true
  return false
}

function rootName(node: ts.Expression): string {
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootName(node.expression)
  return ts.isIdentifier(node) ? node.text : ''
}

const nodeGlobals = new Set([
  'Buffer',
  'NodeJS',
  '__dirname',
  '__filename',
  'clearImmediate',
  'global',
  'process',
  'require',
  'setImmediate',
])

/** Finds names of Node.js in code that also runs in browsers and type-checks without the types of Node.js. */
export function usesOfNode(files: readonly Syntax[]): Finding[] {
  return findNodes(files, node =>
    ts.isIdentifier(node) && nodeGlobals.has(node.text) && !isMemberName(node)
      ? `uses ${node.text} of Node.js`
      : undefined,
  )
}

/**
 * Returns true for the name of a member, as in `body.process` or `{ process: 1 }`, which is not a use of the global.
 */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) return parent.getChildAt(0) !== node
  return ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)
    ? parent.name === node
    : false
}

function findNodes(files: readonly Syntax[], judge: (node: ts.Node) => string | undefined): Finding[] {
  return files.flatMap(({ path, tree }) => {
    const found: Finding[] = []
    walk(tree, node => {
      const message = judge(node)
      if (message !== undefined) found.push({ path, line: lineOf(tree, node), message })
    })
    return found
  })
}
