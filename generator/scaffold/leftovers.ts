import { Node } from 'ts-morph'
import type { Diagnostic } from '../diagnostics.ts'
import type { Implementation } from './implementations.ts'
import type { Position } from '../position.ts'

/**
 * Reports handwritten methods whose operation is no longer in the documents, and classes whose interface is no longer
 * generated. A leftover method belongs to the previous version of the interface, or has a parameter type named after
 * the method (`StartVmRequest`, `ParsedStartVmRequest`). Nothing is deleted.
 */
export function leftovers(
  found: Implementation,
  shown: string,
  previous: ReadonlyMap<string, ReadonlySet<string>>,
): Diagnostic[] {
  const current = new Set(found.interfaces.flatMap(({ methods }) => methods.map(({ name }) => name)))
  const before = new Set(found.interfaces.flatMap(({ module, name }) => [...(previous.get(`${module} ${name}`) ?? [])]))
  const className = found.class.getName() ?? 'a class'
  const methods = found.class.getInstanceMethods().flatMap(method => {
    const name = method.getName()
    if (current.has(name) || !(before.has(name) || takesRequestOf(name, method.getParameters()))) return []
    const message = `${className}.${name} handles an operation that the document no longer has: remove it`
    return [{ severity: 'warning', code: 'leftover-handler', message, position: positionOf(method, shown) } as const]
  })
  const interfaces = found.removed.map(name => {
    const message = `${className} implements ${name}, which the document no longer has: remove the class`
    return { severity: 'warning', code: 'leftover-handler', message, position: positionOf(found.class, shown) } as const
  })
  return [...interfaces, ...methods]
}

/** Returns the position of a declaration's name. */
export function positionOf(node: Node, file: string): Position {
  const start = (Node.isNameable(node) || Node.isMethodDeclaration(node) ? node.getNameNode() : undefined) ?? node
  const { line, column } = node.getSourceFile().getLineAndColumnAtPos(start.getStart())
  return { file, line, column }
}

function takesRequestOf(method: string, parameters: readonly Node[]): boolean {
  const name = `${method.slice(0, 1).toUpperCase()}${method.slice(1)}`
  return parameters.some(parameter => {
    const type = Node.isTyped(parameter) ? parameter.getTypeNode()?.getText() : undefined
    return type === `${name}Request` || type === `Parsed${name}Request`
  })
}
