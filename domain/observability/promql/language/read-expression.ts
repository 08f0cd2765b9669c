import type { SyntaxNode } from '@lezer/common'
import type {
  Aggregation,
  BinaryExpression,
  Expression,
  FixedTime,
  Matching,
  Subquery,
  VectorSelector,
} from './expression.ts'
import { quoted, type QueryFaults } from './faults.ts'
import { longestDuration, numberOf } from './literals.ts'
import { aggregationOperators, binaryOperators } from './operators.ts'
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

/** Makes expressions of the nodes of one query. Does not check types, but for the operands of modifiers. */
export class ExpressionReader {
  readonly #query: string
  readonly #faults: QueryFaults
  readonly #selectors: SelectorReader

  constructor(query: string, faults: QueryFaults) {
    this.#query = query
    this.#faults = faults
    this.#selectors = new SelectorReader(query, faults)
  }

  read(node: SyntaxNode): Expression {
    const position = node.from
    switch (node.name) {
      case 'NumberDurationLiteral':
        return { kind: 'number', position, value: this.#number(node) }
      case 'StringLiteral':
        return { kind: 'string', position, value: this.#selectors.string(node) }
      case 'VectorSelector':
        return this.#selectors.selector(node)
      case 'ParenExpr':
        return this.read(this.#child(node, 0))
      case 'UnaryExpr':
        return this.#unary(node)
      case 'BinaryExpr':
        return this.#binary(node)
      case 'AggregateExpr':
        return this.#aggregation(node)
      case 'FunctionCall':
        return this.#call(node)
      case 'MatrixSelector':
        return this.#matrix(node)
      case 'SubqueryExpr':
        return this.#subquery(node)
      case 'OffsetExpr':
        return this.#shift(node, 'offset', { offset: this.#offset(this.#child(node, 2)) })
      case 'StepInvariantExpr':
        return this.#shift(node, 'at', { at: this.#fixedTime(this.#child(node, 2)) })
      default:
        throw this.#refuse(node)
    }
  }

  #unary(node: SyntaxNode): Expression {
    const expression = this.read(this.#child(node, 1))
    const isNegative = this.#text(this.#child(node, 0)) === '-'
    // The type rules still see the operand of a plus sign: adding zero would drop the name of the metric.
    return isNegative ? { kind: 'negation', position: node.from, expression } : this.#numeric(node, expression)
  }

  #numeric(node: SyntaxNode, expression: Expression): Expression {
    const { kind } = expression
    if (kind === 'string' || kind === 'range' || kind === 'subquery') {
      throw this.#faults.type(node.from, 'a sign needs a scalar or an instant vector')
    }
    return expression
  }

  #binary(node: SyntaxNode): Expression {
    const [leftNode, operatorNode, ...modifiers] = childrenOf(node)
    const rightNode = modifiers.pop()
    if (leftNode === undefined || operatorNode === undefined || rightNode === undefined) throw this.#refuse(node)
    const operator = binaryOperators[operatorNode.name as keyof typeof binaryOperators]
    if (operator === undefined) throw this.#refuse(operatorNode)
    const fill = modifiers.find(({ name }) => name === 'FillModifier')
    if (fill !== undefined) throw this.#refuse(fill)
    const clause = modifiers.find(({ name }) => name === 'MatchingModifierClause')
    const left = this.read(leftNode)
    const binary: BinaryExpression = {
      kind: 'binary',
      position: node.from,
      operator,
      left,
      right: this.read(rightNode),
      bool: modifiers.some(({ name }) => name === 'BoolModifier'),
      matching: clause === undefined ? { on: false, labels: [], include: [] } : this.#matching(clause),
    }
    // A power binds closer than the sign of its base, but the grammar reads the sign as a part of the number.
    const sign = operator === '^' && leftNode.name === 'NumberDurationLiteral' ? this.#text(leftNode).charAt(0) : ''
    if (sign !== '-' || left.kind !== 'number') return binary
    const expression = { ...binary, left: { ...left, value: -left.value } }
    return { kind: 'negation', position: node.from, expression }
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

  #matrix(node: SyntaxNode): Expression {
    const selector = this.read(this.#child(node, 0))
    if (selector.kind !== 'selector') throw this.#faults.type(node.from, 'a range needs a vector selector before it')
    if (selector.offset !== undefined || selector.at !== undefined) {
      throw this.#faults.syntax(node.from, 'the modifiers offset and @ follow the range')
    }
    return { kind: 'range', position: node.from, selector, range: this.#duration(this.#child(node, 1)) }
  }

  #subquery(node: SyntaxNode): Subquery {
    const step = childrenOf(node)[2]
    return {
      kind: 'subquery',
      position: node.from,
      expression: this.read(this.#child(node, 0)),
      range: this.#duration(this.#child(node, 1)),
      step: step === undefined ? defaultStep : this.#duration(step),
    }
  }

  /** Sets the modifier `offset` or `@` of a selector or a subquery. */
  #shift(node: SyntaxNode, member: 'at' | 'offset', shift: { at: FixedTime } | { offset: number }): Expression {
    const expression = this.read(this.#child(node, 0))
    const target = expression.kind === 'range' ? expression.selector : expression
    const word = member === 'at' ? '@' : 'offset'
    if (target.kind !== 'selector' && target.kind !== 'subquery') {
      throw this.#faults.type(node.from, `${word} needs a selector or a subquery before it`)
    }
    if (target[member] !== undefined) throw this.#faults.syntax(node.from, `${word} is given twice`)
    if (expression.kind !== 'range') return { ...target, ...shift }
    return { ...expression, selector: { ...(target as VectorSelector), ...shift } }
  }

  #offset(node: SyntaxNode): number {
    const [first, second] = childrenOf(node)
    if (first?.name !== 'UnaryOp') return this.#milliseconds(node)
    if (second === undefined) throw this.#refuse(node)
    return this.#text(first) === '-' ? -this.#milliseconds(second) : this.#milliseconds(second)
  }

  #fixedTime(node: SyntaxNode): FixedTime {
    if (node.name === 'AtModifierPreprocessors') return node.firstChild?.name === 'AtStart' ? 'start' : 'end'
    const seconds = this.#number(node)
    if (Math.abs(seconds) < 2 ** 63) return Math.round(seconds * 1000)
    throw this.#faults.syntax(node.from, 'the time of @ is out of range')
  }

  /** Returns a positive duration in milliseconds. */
  #duration(node: SyntaxNode): number {
    const milliseconds = this.#milliseconds(node)
    if (milliseconds > 0) return milliseconds
    throw this.#faults.syntax(node.from, 'a duration must be at least a millisecond')
  }

  #milliseconds(node: SyntaxNode): number {
    const [literal] = childrenOf(node)
    if (literal?.name !== 'NumberDurationLiteralInDurationContext') {
      throw this.#faults.unsupported(node.from, 'duration expressions')
    }
    const milliseconds = Math.trunc(Math.round(this.#number(literal) * 1e9) / 1e6)
    if (milliseconds <= longestDuration) return milliseconds
    throw this.#faults.syntax(node.from, `the duration ${quoted(this.#text(node))} is out of range`)
  }

  #number(node: SyntaxNode): number {
    const value = numberOf(this.#text(node))
    if (value === undefined) throw this.#faults.syntax(node.from, `the number ${quoted(this.#text(node))} is malformed`)
    return value
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
