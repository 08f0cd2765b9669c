import type { SyntaxNode } from '@lezer/common'
import type { Comparison } from '../../promql/language/operators.ts'
import { childrenOf } from '../../promql/language/syntax-tree.ts'
import { bytesOf, numberOf } from './quantities.ts'
import { nanosecondsOf } from './durations.ts'
import type { LabelCondition, QuantityFilter } from './log-expression.ts'
import type { QueryText } from './query-text.ts'

const comparisons: Readonly<Record<string, Comparison>> = {
  Eq: '==',
  Eql: '==',
  Neq: '!=',
  Gtr: '>',
  Gte: '>=',
  Lss: '<',
  Lte: '<=',
}

const quantities: Readonly<
  Record<string, { readonly kind: QuantityFilter['kind']; readonly quantityOf: (text: string) => number | undefined }>
> = {
  NumberFilter: { kind: 'number', quantityOf: text => numberOf(text.replace(/\s/g, '')) },
  DurationFilter: { kind: 'duration', quantityOf: nanosecondsOf },
  BytesFilter: { kind: 'bytes', quantityOf: bytesOf },
}

type Item = LabelCondition | 'and' | 'or' | ','

/**
 * Reads the condition of a label filter. `and` binds closer than `or`; a comma is an `and` between the condition on its
 * left and all that follows on its right, as in Loki.
 */
export function readLabelCondition(node: SyntaxNode, text: QueryText): LabelCondition {
  const items: Item[] = []
  flatten(node, text, items)
  let index = 0

  const operand = (): LabelCondition => {
    const item = items[index]
    index += 1
    if (typeof item === 'object') return item
    throw text.faults.syntax(node.from, 'an operator of a label filter needs a condition on each side')
  }

  const read = (least: number): LabelCondition => {
    let left = operand()
    for (;;) {
      const operator = items[index]
      if (operator === ',') {
        index += 1
        left = { kind: 'and', left, right: read(0) }
      } else if ((operator === 'and' && least < 2) || (operator === 'or' && least < 1)) {
        index += 1
        left = { kind: operator, left, right: read(operator === 'and' ? 2 : 1) }
      } else return left
    }
  }

  return read(0)
}

/** Adds the conditions and operators of a node to the end of a list. A node in brackets is one condition. */
function flatten(node: SyntaxNode, text: QueryText, items: Item[]): void {
  const [first, second, third] = childrenOf(node)
  if (first === undefined) throw text.faults.syntax(node.from, 'a label filter needs a condition')
  if (first.name === 'LabelFilter' && second === undefined) {
    const isBracketed = text.query.charAt(node.from) === '('
    if (isBracketed) items.push(readLabelCondition(first, text))
    else flatten(first, text, items)
  } else if (first.name === 'LabelFilter') {
    const last = third ?? second
    if (last === undefined) throw text.faults.syntax(node.to, 'a label filter needs a condition')
    flatten(first, text, items)
    items.push(second?.name === 'And' ? 'and' : second?.name === 'Or' ? 'or' : ',')
    flatten(last, text, items)
  } else items.push(readCondition(first, text))
}

function readCondition(node: SyntaxNode, text: QueryText): LabelCondition {
  if (node.name === 'Matcher') return { kind: 'matcher', matcher: text.matcher(node) }
  if (node.name === 'IpLabelFilter') throw text.faults.unsupported(node.from, 'ip')
  const quantity = node.name === 'UnitFilter' ? (node.firstChild ?? node) : node
  const [name, operator, value] = childrenOf(quantity)
  const { kind, quantityOf } = quantities[quantity.name] ?? {}
  const sign = comparisons[operator?.name ?? '']
  if (
    name === undefined ||
    value === undefined ||
    kind === undefined ||
    quantityOf === undefined ||
    sign === undefined
  ) {
    throw text.faults.syntax(node.from, 'a condition needs a label, an operator and a value')
  }
  const number = quantityOf(text.of(value))
  if (number === undefined) throw text.faults.syntax(value.from, `the value '${text.of(value)}' is malformed`)
  return { kind, name: text.of(name), operator: sign, value: number }
}
