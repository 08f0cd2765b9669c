import {
  type ArrowFunction,
  type CallExpression,
  type ClassDeclaration,
  type ExportedDeclarations,
  type Expression,
  Node,
  Project,
  type SourceFile,
  type TypeNode,
  ts,
} from 'ts-morph'

/** An export of a parsed file. The members are in source order, and their names are JSON. */
export interface Declaration {
  readonly kind: 'interface' | 'type' | 'function' | 'const' | 'class'
  readonly name: string
  readonly members: readonly string[]
}

/** A parsed module. */
export interface Read {
  /** The exported declarations of the module, in source order. */
  readonly declarations: readonly Declaration[]
  /** The texts and member names in each exported function, keyed by the name of the function. */
  readonly named: ReadonlyMap<string, ReadonlySet<string>>
}

const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true })

/** Parses the text of a module, without type checks. */
export function read(text: string): Read {
  const file = project.createSourceFile('/module.ts', text, { overwrite: true })
  const functions = file.getFunctions().filter(each => each.isExported())
  return {
    declarations: exportsOf(file).flatMap(node => declarationOf(node) ?? []),
    named: new Map(functions.map(each => [each.getName() ?? '', namesIn(each.compilerNode)])),
  }
}

function namesIn(node: ts.Node, found: Set<string> = new Set()): ReadonlySet<string> {
  if (ts.isPropertyAccessExpression(node)) found.add(node.name.text)
  else if (ts.isStringLiteral(node)) found.add(node.text)
  ts.forEachChild(node, child => void namesIn(child, found))
  return found
}

const exportsOf = (file: SourceFile): readonly ExportedDeclarations[] =>
  file.getStatements().flatMap((node): readonly ExportedDeclarations[] => {
    if (Node.isVariableStatement(node)) return node.isExported() ? node.getDeclarations() : []
    const isDeclaration =
      Node.isInterfaceDeclaration(node) ||
      Node.isTypeAliasDeclaration(node) ||
      Node.isFunctionDeclaration(node) ||
      Node.isClassDeclaration(node)
    return isDeclaration && node.isExported() ? [node] : []
  })

function declarationOf(node: ExportedDeclarations): Declaration | undefined {
  if (Node.isInterfaceDeclaration(node)) {
    return { kind: 'interface', name: node.getName(), members: node.getMembers().flatMap(memberOf) }
  }
  if (Node.isTypeAliasDeclaration(node)) {
    return { kind: 'type', name: node.getName(), members: once(membersOfType(node.getTypeNodeOrThrow())) }
  }
  if (Node.isFunctionDeclaration(node)) {
    return { kind: 'function', name: node.getName() ?? '', members: node.getParameters().map(each => each.getName()) }
  }
  if (Node.isClassDeclaration(node)) return { kind: 'class', name: node.getName() ?? '', members: methodsOf(node) }
  if (!Node.isVariableDeclaration(node)) return undefined
  const value = plain(node.getInitializerOrThrow())
  if (Node.isArrowFunction(value)) return { kind: 'function', name: node.getName(), members: made(value) }
  return { kind: 'const', name: node.getName(), members: membersOfValue(value) }
}

/** Returns a list with the name of a member as `"a"`, `"a"?` or `"a"()`; an empty list for an index signature. */
function memberOf(member: Node): readonly string[] {
  if (Node.isMethodSignature(member)) return [`${nameOf(member.getNameNode())}()`]
  if (!Node.isPropertySignature(member)) return []
  return [`${nameOf(member.getNameNode())}${member.hasQuestionToken() ? '?' : ''}`]
}

const nameOf = (node: Node): string =>
  JSON.stringify(Node.isStringLiteral(node) ? node.getLiteralText() : node.getText())

/** Returns the members of all object types in a union or intersection, and its literals except null. */
function membersOfType(type: TypeNode): readonly string[] {
  if (Node.isTypeLiteral(type)) return type.getMembers().flatMap(memberOf)
  if (Node.isParenthesizedTypeNode(type)) return membersOfType(type.getTypeNode())
  if (Node.isUnionTypeNode(type) || Node.isIntersectionTypeNode(type)) return type.getTypeNodes().flatMap(membersOfType)
  if (!Node.isLiteralTypeNode(type)) return []
  const literal = type.getLiteral()
  return literal.getText() === 'null' ? [] : [literalOf(literal)]
}

export const once = (texts: readonly string[]): readonly string[] => [...new Set(texts)]

const methodsOf = (node: ClassDeclaration): readonly string[] =>
  node.getMembers().flatMap(member => {
    if (Node.isMethodDeclaration(member)) return [`${nameOf(member.getNameNode())}()`]
    return Node.isGetAccessorDeclaration(member) ? [`get ${nameOf(member.getNameNode())}`] : []
  })

/**
 * Returns the members of a function: for a function that makes an error, its parameters and the reason; for a function
 * that binds routes, the routes.
 */
function made(node: ArrowFunction): readonly string[] {
  const body = plain(node.getBody())
  if (Node.isArrayLiteralExpression(body)) {
    const calls = body.getElements().filter((each): each is CallExpression => Node.isCallExpression(each))
    return calls.map(each => each.getArguments()[0]?.getText() ?? '')
  }
  const parameters = node.getParameters().map(each => each.getName())
  if (!Node.isNewExpression(body)) return parameters
  const [error] = body.getArguments()
  if (Node.isCallExpression(error)) return [...parameters, ...error.getArguments().map(literalOf)]
  return error === undefined ? parameters : [...parameters, ...valuesOf(error, ['reason', 'rpc', 'code'])]
}

/**
 * Returns the members of a value: for a list, its literals or the keys of its objects; for a route, a list of filters
 * or a reason, the members that the model predicts; for any other object, its properties.
 */
function membersOfValue(value: Node): readonly string[] {
  if (Node.isArrayLiteralExpression(value)) {
    return value
      .getElements()
      .map(each => (Node.isObjectLiteralExpression(each) ? textAt(each, 'key') : literalOf(each)))
  }
  if (!Node.isObjectLiteralExpression(value)) return []
  if (Node.isStringLiteral(at(value, 'operationId'))) return routeOf(value)
  if (Node.isStringLiteral(at(value, 'defaultOrder'))) return filtersOf(value)
  if (Node.isStringLiteral(at(value, 'reason'))) return valuesOf(value, ['reason', 'code'])
  return propertiesOf(value)
}

const propertiesOf = (value: Node): readonly string[] =>
  Node.isObjectLiteralExpression(value)
    ? value.getProperties().map(each => {
        if (Node.isShorthandPropertyAssignment(each)) return JSON.stringify(each.getName())
        const name = Node.isPropertyAssignment(each) ? each.getNameNode() : each
        return Node.isComputedPropertyName(name) ? literalOf(name.getExpression()) : nameOf(name)
      })
    : []

function routeOf(value: Node): readonly string[] {
  const parameters = itemsAt(value, 'parameters').map(named => {
    const each = plain(named)
    const member = at(each, 'member')
    return `${textAt(each, 'in')} ${textAt(each, 'name')}${member ? ` as ${literalOf(member)}` : ''}`
  })
  const path = itemsAt(value, 'path').map(literalOf)
  const body = at(value, 'body') ? ['body'] : []
  const successes = itemsAt(value, 'success').map(each => `success ${textAt(each, 'status')}`)
  return [...valuesOf(value, ['operationId', 'method']), ...path, ...parameters, ...body, ...successes]
}

const filtersOf = (value: Node): readonly string[] => [
  ...itemsAt(value, 'fields').map(each => textAt(each, 'name')),
  ...valuesOf(value, ['resource', 'defaultOrder', 'key']),
]

const valuesOf = (value: Node, names: readonly string[]): readonly string[] =>
  names.filter(name => at(value, name)).map(name => textAt(value, name))

function at(value: Node, name: string): Expression | undefined {
  const property = Node.isObjectLiteralExpression(value) ? value.getProperty(name) : undefined
  return Node.isPropertyAssignment(property) ? property.getInitializer() : undefined
}

function textAt(value: Node, name: string): string {
  const found = at(value, name)
  return found ? literalOf(found) : ''
}

function itemsAt(value: Node, name: string): readonly Node[] {
  const found = at(value, name)
  return Node.isArrayLiteralExpression(found) ? found.getElements() : []
}

const literalOf = (node: Node): string =>
  Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node)
    ? JSON.stringify(node.getLiteralText())
    : node.getText()

/**
 * Returns an expression without its parentheses and its `as const`; for the name of a private constant, returns the
 * constant's value.
 */
function plain(node: Node): Node {
  const named = Node.isIdentifier(node) ? node.getSourceFile().getVariableDeclaration(node.getText()) : undefined
  const value = named?.isExported() ? undefined : named?.getInitializer()
  if (value) return plain(value)
  if (Node.isAsExpression(node) || Node.isParenthesizedExpression(node)) return plain(node.getExpression())
  return node
}
