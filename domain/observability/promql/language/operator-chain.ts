import type { SyntaxNode } from '@lezer/common'
import type { BinaryOperator } from './operators.ts'

/** A part of an expression in the order of the text. */
export type ChainItem =
  | { readonly kind: 'operand' | 'modifier'; readonly node: SyntaxNode }
  | { readonly kind: 'sign'; readonly isNegative: boolean; readonly position: number }
  | { readonly kind: 'operator'; readonly operator: BinaryOperator; readonly details: readonly SyntaxNode[] }

/** Makes the results of the parts of a chain. */
export interface ChainReader<T> {
  operand(node: SyntaxNode): T
  /** Applies the modifier of a node, such as `offset`, to the expression before it. */
  modify(operand: T, node: SyntaxNode): T
  sign(operand: T, isNegative: boolean, position: number): T
  combine(left: T, operator: BinaryOperator, details: readonly SyntaxNode[], right: T): T
}

const power = 6
const precedences: Readonly<Record<BinaryOperator, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': power,
}

/**
 * Reads a chain of operands, signs, operators and modifiers with the precedences of PromQL: modifiers bind closest, then
 * powers (from the right), signs, and the other operators (from the left). The tree of the grammar cannot be used for
 * this: its modifiers bind more loosely than all operators, and its numbers include their signs.
 */
export function readChain<T>(items: readonly ChainItem[], reader: ChainReader<T>): T {
  let index = 0

  const readBinary = (least: number): T => {
    let left = readSigned()
    for (let item = items[index]; item?.kind === 'operator'; item = items[index]) {
      const precedence = precedences[item.operator]
      if (precedence < least) break
      index += 1
      left = reader.combine(
        left,
        item.operator,
        item.details,
        readBinary(precedence === power ? power : precedence + 1),
      )
    }
    return left
  }

  const readSigned = (): T => {
    const item = items[index]
    if (item?.kind !== 'sign') return readModified()
    index += 1
    return reader.sign(readBinary(power), item.isNegative, item.position)
  }

  const readModified = (): T => {
    const item = items[index]
    if (item?.kind !== 'operand') throw new RangeError('an operator of the grammar has an operand on each side')
    index += 1
    let operand = reader.operand(item.node)
    for (let next = items[index]; next?.kind === 'modifier'; next = items[index]) {
      operand = reader.modify(operand, next.node)
      index += 1
    }
    return operand
  }

  return readBinary(0)
}
