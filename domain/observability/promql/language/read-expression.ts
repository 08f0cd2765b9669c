import type { SyntaxNode } from '@lezer/common'
import type { Aggregation, Expression, FixedTime, Matching } from './expression.ts'
import type { QueryFaults } from './faults.ts'
import { readChain, type ChainItem } from './operator-chain.ts'
import { aggregationOperators, binaryOperators, type BinaryOperator } from './operators.ts'
import { NumberReader } from './read-number.ts'
import { SelectorReader } from './read-selector.ts'
import { childrenOf } from './syntax-tree.ts'

/** The interval of a subquery without a step, in milliseconds. */
const defaultStep = 60_000

/** Constructs that are refused, by the names of their nodes. */
const refused: Readonly<Record<string, string>> = {
  AnchoredExpr: 'anchored',
  SmoothedExpr: 'smoothed',
  TrimUpper: 'native histograms',
  TrimLower: 'native histograms',
  FillModifier: 'fill',
  LimitK: 'limitk',
  LimitRatio: 'limit_ratio',
}

/** The nodes of what follows an operand and changes it. */
const modifiers = new Set([
  'MatrixSelector',
  'SubqueryExpr',
  'OffsetExpr',
  'StepInvariantExpr',
  'AnchoredExpr',
  'SmoothedExpr',
])

/** Makes expressions of the nodes of one query. Checks no types but those of operands of modifiers. */
export class ExpressionReader {
  readonly #query: string
  readonly #faults: QueryFaults
  readonly #selectors: SelectorReader
  readonly #numbers: NumberReader
  /** Expressions in parentheses, to which only a subquery can be applied. */
  readonly #parenthesised = new Set<Expression>()

  constructor(query: string, faults: QueryFaults) {
    this.#query = query
    this.#faults = faults
    this.#selectors = new SelectorReader(query, faults)
    this.#numbers = new NumberReader(query, faults)
  }

  read(node: SyntaxNode): Expression {
    const items: ChainItem[] = []
    this.#flatten(node, items)
    return readChain(items, {
      operand: part => this.#primary(part),
      modify: (operand, part) => this.#modify(operand, part),
      sign: (expression, isNegative, position) => ({ kind: 'signed', position, isNegative, expression }),
      combine: (left, operator, details, right) => this.#combine(left, operator, details, right),
    })
  }

  /** Adds the parts of a node to the end of a chain. */
  #flatten(node: SyntaxNode, items: ChainItem[]): void {
    const [first, second, ...rest] = childrenOf(node)
    if (node.name === 'UnaryExpr' && first !== undefined && second !== undefined) {
      items.push({ kind: 'sign', isNegative: this.#text(first) === '-', position: node.from })
      this.#flatten(second, items)
    } else if (node.name === 'BinaryExpr' && first !== undefined && second !== undefined) {
      this.#flatten(first, items)
      const operator = binaryOperators[second.name as keyof typeof binaryOperators]
      if (operator === undefined) throw this.#refuse(second)
      items.push({ kind: 'operator', operator, details: rest.slice(0, -1) })
      this.#flatten(this.#child(node, rest.length + 1), items)
    } else if (modifiers.has(node.name) && first !== undefined) {
      this.#flatten(first, items)
      items.push({ kind: 'modifier', node })
    } else {
      const sign = node.name === 'NumberDurationLiteral' ? this.#text(node).charAt(0) : ''
      if (/[-+]/.test(sign)) items.push({ kind: 'sign', isNegative: sign === '-', position: node.from })
      items.push({ kind: 'operand', node })
    }
  }

  #primary(node: SyntaxNode): Expression {
    const position = node.from
    switch (node.name) {
      case 'NumberDurationLiteral':
        // A sign is a part of the chain.
        return { kind: 'number', position, value: Math.abs(this.#numbers.number(node)) }
      case 'StringLiteral':
        return { kind: 'string', position, value: this.#selectors.string(node) }
      case 'VectorSelector':
        return this.#selectors.selector(node)
      case 'ParenExpr': {
        const expression = this.read(this.#child(node, 0))
        this.#parenthesised.add(expression)
        return expression
      }
      case 'AggregateExpr':
        return this.#aggregation(node)
      case 'FunctionCall':
        return this.#call(node)
      default:
        throw this.#refuse(node)
    }
  }

  #modify(operand: Expression, node: SyntaxNode): Expression {
    switch (node.name) {
      case 'MatrixSelector':
        return this.#matrix(operand, node)
      case 'SubqueryExpr':
        return this.#subquery(operand, node)
      case 'OffsetExpr':
        return this.#shift(operand, node, 'offset', { offset: this.#numbers.offset(this.#child(node, 2)) })
      case 'StepInvariantExpr':
        return this.#shift(operand, node, 'at', { at: this.#numbers.fixedTime(this.#child(node, 2)) })
      default:
        throw this.#refuse(node)
    }
  }

  #combine(left: Expression, operator: BinaryOperator, details: readonly SyntaxNode[], right: Expression): Expression {
    const fill = details.find(({ name }) => name === 'FillModifier')
    if (fill !== undefined) throw this.#refuse(fill)
    const clause = details.find(({ name }) => name === 'MatchingModifierClause')
    const bool = details.some(({ name }) => name === 'BoolModifier')
    const matching = clause === undefined ? { on: false, labels: [], include: [] } : this.#matching(clause)
    return { kind: 'binary', position: left.position, operator, left, right, bool, matching }
  }

  #matching(clause: SyntaxNode): Matching {
    const nodes = childrenOf(clause)
    const group = nodes.findIndex(({ name }) => name === 'GroupLeft' || name === 'GroupRight')
    const [labels, include] = [nodes[1], group === -1 ? undefined : nodes[group + 1]]
    return {
      on: nodes[0]?.name === 'On',
      labels: labels === undefined ? [] : this.#selectors.labels(labels),
      ...(group !== -1 && { many: nodes[group]?.name === 'GroupLeft' ? 'left' : 'right' }),
      include: include === undefined ? [] : this.#selectors.labels(include),
    }
  }

  #aggregation(node: SyntaxNode): Aggregation {
    const nodes = childrenOf(node)
    const operatorNode = this.#child(this.#child(node, 0), 0)
    const operator = aggregationOperators[operatorNode.name as keyof typeof aggregationOperators]
    if (operator === undefined) throw this.#refuse(operatorNode)
    const modifier = nodes.find(({ name }) => name === 'AggregateModifier')
    const body = nodes.find(({ name }) => name === 'FunctionCallBody')
    const operands = (body === undefined ? [] : childrenOf(body)).map(child => this.read(child))
    const expected = 'parameter' in operator ? 2 : 1
    const [expression, parameter] = operands.toReversed()
    if (operands.length !== expected || expression === undefined) {
      throw this.#faults.type(node.from, `${operator.name} takes ${expected} arguments, not ${operands.length}`)
    }
    const [keyword, labels] = modifier === undefined ? [] : childrenOf(modifier)
    return {
      kind: 'aggregation',
      position: node.from,
      operator: operator.name,
      expression,
      ...(parameter !== undefined && { parameter }),
      without: keyword?.name === 'Without',
      labels: labels === undefined ? [] : this.#selectors.labels(labels),
    }
  }

  #call(node: SyntaxNode): Expression {
    const [name, body] = [this.#child(node, 0), this.#child(node, 1)]
    const operands = childrenOf(body).map(child => this.read(child))
    return { kind: 'call', position: node.from, name: this.#text(name), arguments: operands }
  }

  #matrix(selector: Expression, node: SyntaxNode): Expression {
    const { position } = selector
    if (selector.kind !== 'selector' || this.#parenthesised.has(selector)) {
      throw this.#faults.type(position, 'a range needs a vector selector before it')
    }
    if (selector.offset !== undefined || selector.at !== undefined) {
      throw this.#faults.syntax(position, 'the modifiers offset and @ follow the range')
    }
    return { kind: 'range', position, selector, range: this.#numbers.duration(this.#child(node, 1)) }
  }

  #subquery(expression: Expression, node: SyntaxNode): Expression {
    const step = childrenOf(node)[2]
    return {
      kind: 'subquery',
      position: expression.position,
      expression,
      range: this.#numbers.duration(this.#child(node, 1)),
      step: step === undefined ? defaultStep : this.#numbers.duration(step),
    }
  }

  /** Sets the modifier `offset` or `@` of a selector or a subquery. */
  #shift(
    operand: Expression,
    node: SyntaxNode,
    member: 'at' | 'offset',
    shift: { readonly at: FixedTime } | { readonly offset: number },
  ): Expression {
    const target = operand.kind === 'range' ? operand.selector : operand
    const { from } = this.#child(node, 1)
    const word = member === 'at' ? '@' : 'offset'
    const isBare = !this.#parenthesised.has(operand)
    if ((target.kind !== 'selector' && target.kind !== 'subquery') || !isBare) {
      throw this.#faults.type(from, `${word} needs a selector or a subquery before it`)
    }
    if (target[member] !== undefined) throw this.#faults.syntax(from, `${word} is given twice`)
    if (operand.kind === 'range') return { ...operand, selector: { ...operand.selector, ...shift } }
    return { ...target, ...shift }
  }

  #child(node: SyntaxNode, index: number): SyntaxNode {
    const child = childrenOf(node)[index]
    if (child === undefined) throw this.#faults.syntax(node.from, 'a part of the expression is missing')
    return child
  }

  #refuse(node: SyntaxNode): Error {
    return this.#faults.unsupported(node.from, refused[node.name] ?? node.name)
  }

  #text(node: SyntaxNode): string {
    return this.#query.slice(node.from, node.to)
  }
}
