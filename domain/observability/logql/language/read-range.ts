import type { SyntaxNode } from '@lezer/common'
import { quoted } from '../../promql/language/faults.ts'
import { numberOf } from './quantities.ts'
import { millisecondsOf } from './durations.ts'
import type { Grouped, RangeAggregation, Unwrap } from './metric-expression.ts'
import { rangeOperations, unitConversions } from './operators.ts'
import type { QueryText } from './query-text.ts'
import { groupingOf } from './read-grouping.ts'
import { readLabelCondition } from './read-label-condition.ts'
import { readLogExpression } from './read-log-expression.ts'

/** Makes range aggregations of the nodes of one query. */
export class RangeReader {
  readonly #text: QueryText
  readonly #field: string
  readonly #offsets: ReadonlyMap<number, number>

  /** `offsets` has the nanoseconds of `offset` after a range, by the end of the range in the text. */
  constructor(text: QueryText, field: string, offsets: ReadonlyMap<number, number>) {
    this.#text = text
    this.#field = field
    this.#offsets = offsets
  }

  read(node: SyntaxNode): RangeAggregation {
    const nameNode = this.#text.child(node, 'RangeOp')
    const operation = rangeOperations[nameNode.firstChild?.name as keyof typeof rangeOperations]
    if (operation === undefined) throw this.#text.faults.unsupported(nameNode.from, this.#text.of(nameNode))
    const range = this.#innermost(this.#text.child(node, 'LogRangeExpr'))
    const unwrap = this.#unwrap(range)
    const { name } = operation
    if (unwrap === undefined && operation.of === 'labels') {
      throw this.#text.faults.type(range.from, `${name} needs a label of numbers after unwrap`)
    }
    if (unwrap !== undefined && operation.of === 'entries') {
      throw this.#text.faults.type(range.from, `${name} takes entries, not the numbers of unwrap`)
    }
    const parameter = this.#parameter(node, name)
    const grouping = this.#grouping(node, name, 'grouped' in operation)
    const rangeNode = this.#text.child(range, 'Range')
    const offsetNode = range.getChild('OffsetExpr')
    if (offsetNode !== null) throw this.#text.faults.syntax(offsetNode.from, 'offset needs one duration')
    const pipelines = range.getChildren('PipelineExpr')
    return {
      kind: 'range',
      position: node.from,
      operation: name,
      ...(parameter !== undefined && { parameter }),
      log: readLogExpression(this.#text.child(range, 'Selector'), pipelines, this.#text, this.#field),
      ...(unwrap !== undefined && { unwrap }),
      range: this.#milliseconds(rangeNode),
      offset: this.#offsets.get(rangeNode.to) ?? 0,
      ...(grouping !== undefined && { grouping }),
    }
  }

  /** Returns the range within brackets. */
  #innermost(node: SyntaxNode): SyntaxNode {
    const inner = node.getChild('LogRangeExpr')
    return inner === null ? node : this.#innermost(inner)
  }

  #milliseconds(node: SyntaxNode): number {
    const text = this.#text.of(node).slice(1, -1)
    const milliseconds = millisecondsOf(text.trim())
    if (milliseconds === undefined) {
      throw this.#text.faults.syntax(node.from, `the duration ${quoted(text)} is malformed`)
    }
    if (milliseconds > 0) return milliseconds
    throw this.#text.faults.syntax(node.from, 'a duration must be at least a millisecond')
  }

  #unwrap(range: SyntaxNode): Unwrap | undefined {
    const outer = range.getChild('UnwrapExpr')
    if (outer === null) return undefined
    const filters: Unwrap['filters'][number][] = []
    let node = outer
    // An expression with conditions holds the expression of all conditions but its last one.
    for (let inner = node.getChild('UnwrapExpr'); inner !== null; inner = node.getChild('UnwrapExpr')) {
      filters.push(readLabelCondition(this.#text.child(node, 'LabelFilter'), this.#text))
      node = inner
    }
    const conversion = node.getChild('ConvOp')?.firstChild?.name as keyof typeof unitConversions
    return {
      label: this.#text.nameIn(node),
      conversion: unitConversions[conversion] ?? 'number',
      filters: filters.toReversed(),
    }
  }

  #parameter(node: SyntaxNode, name: string): number | undefined {
    const number = node.getChild('Number')
    if (number === null) {
      if (name === 'quantile_over_time') throw this.#text.faults.type(node.from, `${name} needs the quantile`)
      return undefined
    }
    if (name !== 'quantile_over_time') throw this.#text.faults.type(number.from, `${name} takes no parameter`)
    const value = numberOf(this.#text.of(number))
    if (value !== undefined) return value
    throw this.#text.faults.syntax(number.from, `the number ${quoted(this.#text.of(number))} is malformed`)
  }

  #grouping(node: SyntaxNode, name: string, isAllowed: boolean): Grouped | undefined {
    const grouping = node.getChild('Grouping')
    if (grouping === null) return undefined
    if (isAllowed) return groupingOf(node, this.#text)
    throw this.#text.faults.type(grouping.from, `${name} takes no grouping`)
  }
}
