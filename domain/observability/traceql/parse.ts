import { parser } from '@grafana/lezer-traceql'
import { quoted, QueryFaults } from '../promql/language/faults.ts'
import { checkedTree, childrenOf } from '../promql/language/syntax-tree.ts'
import { readAggregate } from './read-aggregate.ts'
import type { Pipeline, SpansetExpression } from './expression.ts'
import { ConditionReader, conditionParts } from './read-condition.ts'
import { TokenReader, tokensOf, type Token } from './tokens.ts'

/** The nodes of the grammar that are parts of a pipeline. */
const pipelineParts: ReadonlySet<string> = new Set([
  'Anc',
  'And',
  'CoalesceOperation',
  'Desc',
  'ExperimentalOp',
  'GroupOperation',
  'Gt',
  'Lt',
  'MetricsOperation',
  'Or',
  'Pipe',
  'ScalarFilter',
  'SelectOperation',
  'SpansetFilter',
  'UnionStructuralOp',
  'WithHint',
])

/**
 * Parses a query. Throws QUERY_SYNTAX_INVALID, QUERY_TYPE_INVALID, QUERY_FEATURE_UNSUPPORTED, or QUERY_LIMIT_EXCEEDED for
 * an expression that is nested too deeply. `field` is the field of the request that holds it.
 */
export function parseTraceQl(query: string, field = 'query'): Pipeline {
  const faults = new QueryFaults(field, 'TRACEQL')
  const { topNode } = checkedTree(parser, query, faults)
  return new PipelineReader(
    query,
    new TokenReader(tokensOf(query, topNode, pipelineParts), query.length),
    faults,
  ).read()
}

/** Reads a pipeline with the precedence of operators in Tempo. */
class PipelineReader {
  readonly #query: string
  readonly #tokens: TokenReader
  readonly #faults: QueryFaults

  constructor(query: string, tokens: TokenReader, faults: QueryFaults) {
    this.#query = query
    this.#tokens = tokens
    this.#faults = faults
  }

  read(): Pipeline {
    const pipeline = this.#pipeline()
    if (this.#tokens.next === undefined) return pipeline
    throw this.#unexpected()
  }

  #pipeline(): Pipeline {
    const stages: Pipeline['stages'][number][] = [this.#chain()]
    while (this.#tokens.take('Pipe')) {
      const scalar = this.#tokens.take('ScalarFilter')
      stages.push(scalar?.node ? readAggregate(this.#query, scalar.node, this.#faults) : this.#chain())
    }
    return { kind: 'pipeline', stages }
  }

  /** Reads sets of spans with `&&` and `||`, which have one precedence in Tempo. */
  #chain(): SpansetExpression {
    let left = this.#structure()
    for (;;) {
      const operator = this.#tokens.take('And', 'Or')
      if (operator === undefined) return left
      left = { kind: operator.name === 'And' ? 'and' : 'or', left, right: this.#structure() }
    }
  }

  #structure(): SpansetExpression {
    let left = this.#set()
    for (;;) {
      const operator = this.#tokens.take('Gt', 'Desc')
      if (operator === undefined) return left
      left = { kind: operator.name === 'Gt' ? 'child' : 'descendant', left, right: this.#set() }
    }
  }

  #set(): SpansetExpression {
    if (this.#tokens.take('(')) {
      const inner = this.#pipeline()
      if (this.#tokens.take(')')) return inner
      throw this.#unexpected()
    }
    const filter = this.#tokens.take('SpansetFilter')
    if (filter === undefined) throw this.#unexpected()
    return { kind: 'filter', condition: this.#condition(filter) }
  }

  #condition({ node, position, text }: Token) {
    const isEmpty = node === undefined || childrenOf(node).every(({ name }) => name === 'BlockComment')
    if (isEmpty) return { kind: 'constant', value: true } as const
    const end = position + text.length - 1
    // The braces of the filter are no parts of its condition.
    const parts = tokensOf(this.#query, node, conditionParts).filter(
      each => each.position !== position && !(each.position === end && each.text === '}'),
    )
    return new ConditionReader(new TokenReader(parts, end), this.#faults).read()
  }

  /** Returns the error of a part that the subset lacks, or that stands in a wrong place. */
  #unexpected(): Error {
    const { next, position } = this.#tokens
    if (next === undefined) return this.#faults.syntax(position, 'unexpected end of the query')
    const isKnown = ['And', 'Gt', 'Desc', 'Or', 'Pipe', 'SpansetFilter', '(', ')'].includes(next.name)
    if (isKnown) return this.#faults.syntax(position, `unexpected ${quoted(next.text)}`)
    // A function is named without its arguments.
    return this.#faults.unsupported(position, /^[a-z_]+/.exec(next.text)?.[0] ?? next.text.slice(0, 80))
  }
}
