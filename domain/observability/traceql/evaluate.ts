import type { LoadedTrace } from '../traces/loaded-trace.ts'
import { attributeOf } from '../traces/span-conditions.ts'
import { durationOf, type TraceSpan } from '../traces/span.ts'
import { compare, matches, type Value } from './compare.ts'
import type { AggregateFilter, Condition, Intrinsic, Operand, Pipeline, SpansetExpression } from './expression.ts'
import { kinds, statuses } from './literals.ts'

type Spans = readonly TraceSpan[]

/** Returns the spans of a trace that a query selects, the earliest start first; none if the trace does not fit. */
export const selectSpans = (pipeline: Pipeline, trace: LoadedTrace): Spans =>
  new Evaluation(trace).select(pipeline, trace.spans)

/** The evaluation of one query on one trace. Sets of spans keep the order of the trace. */
class Evaluation {
  readonly #trace: LoadedTrace
  readonly #byId: ReadonlyMap<string, TraceSpan>

  constructor(trace: LoadedTrace) {
    this.#trace = trace
    this.#byId = new Map(trace.spans.map(span => [span.spanId, span]))
  }

  /** Returns the spans of `input` that an expression selects. */
  select(expression: SpansetExpression, input: Spans): Spans {
    switch (expression.kind) {
      case 'filter':
        return input.filter(span => this.#fits(expression.condition, span))
      case 'pipeline':
        return expression.stages.reduce(
          (spans, stage) => (stage.kind === 'aggregate' ? filtered(stage, spans) : this.select(stage, spans)),
          input,
        )
      default:
        return this.#combined(
          expression.kind,
          this.select(expression.left, input),
          this.select(expression.right, input),
        )
    }
  }

  #combined(kind: 'and' | 'child' | 'descendant' | 'or', left: Spans, right: Spans): Spans {
    if (kind === 'or') return this.#union(left, right)
    if (left.length === 0 || right.length === 0) return []
    if (kind === 'and') return this.#union(left, right)
    const above = new Set(left.map(({ spanId }) => spanId))
    if (kind === 'child') return right.filter(({ parentId }) => above.has(parentId))
    const known = new Map<string, boolean>()
    return right.filter(span => this.#isBelow(span, above, known))
  }

  #union(left: Spans, right: Spans): Spans {
    const all = new Set([...left, ...right])
    return this.#trace.spans.filter(span => all.has(span))
  }

  /** Whether an ancestor of a span is among `above`; `known` has the results for spans by their ids. */
  #isBelow(span: TraceSpan, above: ReadonlySet<string>, known: Map<string, boolean>): boolean {
    const path: string[] = []
    let result = false
    for (let at: TraceSpan | undefined = span; at !== undefined; at = this.#byId.get(at.parentId)) {
      const before = known.get(at.spanId)
      if (before !== undefined) {
        result = before
        break
      }
      path.push(at.spanId)
      // A sender may have made a circle of parents, in which each span is found again.
      known.set(at.spanId, false)
      if (above.has(at.parentId)) {
        result = true
        break
      }
    }
    for (const id of path) known.set(id, result)
    return result
  }

  #fits(condition: Condition, span: TraceSpan): boolean {
    switch (condition.kind) {
      case 'constant':
        return condition.value
      case 'and':
        return this.#fits(condition.left, span) && this.#fits(condition.right, span)
      case 'or':
        return this.#fits(condition.left, span) || this.#fits(condition.right, span)
      case 'compare':
        return compare(this.#value(condition.left, span), condition.operator, this.#value(condition.right, span))
      case 'match':
        return matches(this.#value(condition.operand, span), text => condition.pattern.test(text), condition.isNegated)
    }
  }

  #value(operand: Operand, span: TraceSpan): Value {
    if (operand.kind === 'literal') return operand.value
    if (operand.kind === 'intrinsic') return this.#intrinsic(operand.name, span)
    const { name, scope } = operand
    const ofSpan = scope === 'resource' ? undefined : attributeOf(span.attributes, name)
    return ofSpan ?? (scope === 'span' ? undefined : attributeOf(span.resource.attributes, name))
  }

  #intrinsic(name: Intrinsic, span: TraceSpan): Value {
    const { duration, root } = this.#trace
    switch (name) {
      case 'duration':
        return Number(durationOf(span))
      case 'kind':
        return kinds.get(span.kind.toLowerCase())
      case 'name':
        return span.name
      case 'rootName':
        return root?.name
      case 'rootServiceName':
        return root?.resource.service
      case 'status':
        return statuses.get(span.status.toLowerCase())
      case 'traceDuration':
        return Number(duration)
    }
  }
}

/** Returns the spans if their number, or the mean of their durations, fits. */
function filtered({ of, operator, value }: AggregateFilter, spans: Spans): Spans {
  if (spans.length === 0) return spans
  const sum = of === 'count' ? 0 : spans.reduce((total, span) => total + Number(durationOf(span)), 0)
  return compare(of === 'count' ? spans.length : sum / spans.length, operator, value) ? spans : []
}
