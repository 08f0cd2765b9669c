import type { SyntaxNode } from '@lezer/common'
import { operationOf } from '../../promql/evaluation/operations.ts'
import type { Matching } from '../../promql/language/expression.ts'
import { quoted } from '../../promql/language/faults.ts'
import { readChain, type ChainItem } from '../../promql/language/operator-chain.ts'
import { binaryOperators, isSetOperator, type BinaryOperator } from '../../promql/language/operators.ts'
import { childrenOf } from '../../promql/language/syntax-tree.ts'
import { listed } from './lists.ts'
import type { Expression, MetricExpression, VectorAggregation } from './metric-expression.ts'
import { vectorOperators } from './operators.ts'
import type { QueryText } from './query-text.ts'
import { groupingOf } from './read-grouping.ts'
import { readLogExpression } from './read-log-expression.ts'
import { RangeReader } from './read-range.ts'
import { numberOf } from './quantities.ts'

/** Constructs that are refused, by the names of their nodes. */
const refused: Readonly<Record<string, string>> = {
  Sort: 'sort',
  Sort_Desc: 'sort_desc',
  LabelReplaceExpr: 'label_replace',
}

/** Makes expressions of the nodes of one query. */
export class ExpressionReader {
  readonly #text: QueryText
  readonly #field: string
  readonly #ranges: RangeReader

  /** `offsets` has the nanoseconds of `offset` after a range, by the end of the range in the text. */
  constructor(text: QueryText, field: string, offsets: ReadonlyMap<number, number>) {
    this.#text = text
    this.#field = field
    this.#ranges = new RangeReader(text, field, offsets)
  }

  read(node: SyntaxNode): Expression {
    const items: ChainItem[] = []
    this.#flatten(node, items)
    return readChain<Expression>(items, {
      operand: part => this.#operand(part),
      modify: (_, part) => this.#refuse(part),
      sign: (_, __, position) => {
        throw this.#text.faults.syntax(position, 'a sign needs a number')
      },
      combine: (left, operator, details, right) => this.#combine(left, operator, details, right),
    })
  }

  /** Adds the parts of a node to the end of a chain. A node in brackets is one part. */
  #flatten(node: SyntaxNode, items: ChainItem[]): void {
    const [first, second, third, fourth] = childrenOf(node)
    if ((node.name === 'Expr' || node.name === 'MetricExpr') && first !== undefined) {
      if (first.name === node.name || first.name === 'LogExpr') items.push({ kind: 'operand', node: first })
      else this.#flatten(first, items)
    } else if (node.name === 'BinOpExpr' && first !== undefined && second !== undefined && third !== undefined) {
      const operator = binaryOperators[second.name as keyof typeof binaryOperators]
      this.#flatten(first, items)
      items.push({ kind: 'operator', operator, details: [third] })
      this.#flatten(fourth ?? third, items)
    } else items.push({ kind: 'operand', node })
  }

  #operand(node: SyntaxNode): Expression {
    const position = node.from
    switch (node.name) {
      case 'MetricExpr':
        return this.read(node)
      case 'LogExpr':
        return this.#log(node)
      case 'LiteralExpr':
        return { kind: 'number', position, value: this.#number(node) }
      case 'VectorExpr':
        return { kind: 'vector', position, value: this.#number(this.#text.child(node, 'Number')) }
      case 'RangeAggregationExpr':
        return this.#ranges.read(node)
      case 'VectorAggregationExpr':
        return this.#aggregation(node)
      default:
        return this.#refuse(node)
    }
  }

  #log(node: SyntaxNode): Expression {
    const inner = node.getChild('LogExpr')
    if (inner !== null) return this.#log(inner)
    const selector = this.#text.child(node, 'Selector')
    return readLogExpression(selector, node.getChildren('PipelineExpr'), this.#text, this.#field)
  }

  #number(node: SyntaxNode): number {
    const value = numberOf(this.#text.of(node).replace(/\s/g, ''))
    if (value !== undefined) return value
    throw this.#text.faults.syntax(node.from, `the number ${quoted(this.#text.of(node))} is malformed`)
  }

  #aggregation(node: SyntaxNode): VectorAggregation {
    const nameNode = this.#text.child(node, 'VectorOp')
    const operator = vectorOperators[nameNode.firstChild?.name as keyof typeof vectorOperators]
    if (operator === undefined) return this.#refuse(nameNode.firstChild ?? nameNode)
    const expression = this.#metric(this.#text.child(node, 'MetricExpr'), operator)
    const parameter = this.#parameter(node, operator)
    return {
      kind: 'aggregation',
      position: node.from,
      operator,
      expression,
      ...(parameter !== undefined && { parameter }),
      ...groupingOf(node, this.#text),
    }
  }

  #parameter(node: SyntaxNode, operator: string): number | undefined {
    const number = node.getChild('Number')
    const isNeeded = operator === 'topk' || operator === 'bottomk'
    if (number === null) {
      if (isNeeded) throw this.#text.faults.type(node.from, `${operator} needs the number of elements to keep`)
      return undefined
    }
    if (!isNeeded) throw this.#text.faults.type(number.from, `${operator} takes no parameter`)
    const value = Number(this.#text.of(number))
    if (Number.isSafeInteger(value) && value > 0) return value
    throw this.#text.faults.type(number.from, `the parameter of ${operator} must be a positive integer`)
  }

  #combine(left: Expression, operator: BinaryOperator, details: readonly SyntaxNode[], right: Expression): Expression {
    const user = `the operator ${operator}`
    const [one, other] = [this.#requireMetric(left, user), this.#requireMetric(right, user)]
    const scalar = [one, other].find(side => side.kind === 'number')
    if (scalar !== undefined && isSetOperator(operator)) {
      throw this.#text.faults.type(scalar.position, `${operator} takes instant vectors on both sides`)
    }
    const modifier = details.find(({ name }) => name === 'BinOpModifier')
    if (one.kind === 'number' && other.kind === 'number') {
      const value = calculate(operator, one.value, other.value)
      return { kind: 'number', position: one.position, value }
    }
    const bool = hasChild(modifier, 'Bool')
    return {
      kind: 'binary',
      position: left.position,
      operator,
      left: one,
      right: other,
      bool,
      matching: this.#matching(modifier),
    }
  }

  #matching(modifier: SyntaxNode | undefined): Matching {
    const match = modifier?.getChild('OnOrIgnoringModifier')
    const isLeft = hasChild(modifier, 'GroupLeft')
    return {
      on: hasChild(match, 'On'),
      labels: this.#labels(match),
      ...((isLeft || hasChild(modifier, 'GroupRight')) && { many: isLeft ? 'left' : 'right' }),
      include: this.#labels(modifier),
    }
  }

  #labels(node: SyntaxNode | null | undefined): readonly string[] {
    const list = node?.getChild('GroupingLabels')?.getChild('GroupingLabelList')
    return listed(list, 'GroupingLabel').map(label => this.#text.of(label))
  }

  #metric(node: SyntaxNode, user: string): MetricExpression {
    const expression = this.#requireMetric(this.read(node), user)
    if (expression.kind !== 'number') return expression
    throw this.#text.faults.type(expression.position, `${user} takes an instant vector, not a scalar`)
  }

  #requireMetric(expression: Expression, user: string): MetricExpression {
    if (expression.kind !== 'log') return expression
    throw this.#text.faults.type(expression.position, `${user} takes a metric query, not a log query`)
  }

  #refuse(node: SyntaxNode): never {
    throw this.#text.faults.unsupported(node.from, refused[node.name] ?? node.name)
  }
}

const hasChild = (node: SyntaxNode | null | undefined, name: string): boolean => Boolean(node?.getChild(name))

/** Calculates with two numbers. A comparison gives 1 or 0, and a division by 0 gives NaN, as in Loki. */
function calculate(operator: BinaryOperator, left: number, right: number): number {
  if ((operator === '/' || operator === '%') && right === 0) return NaN
  return operationOf(operator, true, 'left')(left, right) ?? NaN
}
