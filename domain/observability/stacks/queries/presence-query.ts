import type { Expression, FixedTime, VectorSelector } from '../../promql/language/expression.ts'
import { parseQuery } from '../../promql/language/parse.ts'
import { selectorText, type LabelledWorkspace } from './workspace-label.ts'

/** The time for which a sample counts if no later one follows, in milliseconds. */
const lookbackMs = 300_000

/** The time that an expression around a selector adds to what the selector reads. */
interface Around {
  readonly rangeMs: number
  readonly offsetMs: number
  readonly at?: FixedTime
}

/**
 * Returns the query that has an element if a selector of an expression has matched a series at the time of the query;
 * undefined for an expression without selectors. Throws as `parseQuery`.
 */
export function presenceQuery(query: string, workspace: LabelledWorkspace): string | undefined {
  const parts = [...presences(parseQuery(query).expression, { rangeMs: 0, offsetMs: 0 }, workspace)]
  return parts.length === 0 ? undefined : [...new Set(parts)].join(' or ')
}

function* presences(expression: Expression, around: Around, workspace: LabelledWorkspace): Generator<string> {
  const inside = (each: Expression, of: Around = around): Generator<string> => presences(each, of, workspace)
  switch (expression.kind) {
    case 'number':
    case 'string':
      return
    case 'selector':
      yield presence(expression, lookbackMs, around, workspace)
      return
    case 'range':
      yield presence(expression.selector, expression.range, around, workspace)
      return
    case 'subquery':
      yield* inside(expression.expression, shifted(expression, expression.range, around))
      return
    case 'signed':
      yield* inside(expression.expression)
      return
    case 'binary':
      yield* inside(expression.left)
      yield* inside(expression.right)
      return
    case 'aggregation':
      if (expression.parameter) yield* inside(expression.parameter)
      yield* inside(expression.expression)
      return
    case 'call':
      for (const each of expression.arguments) yield* inside(each)
  }
}

/** Returns the surroundings of the parts of a shifted expression that reads `rangeMs` back. */
function shifted({ at, offset = 0 }: { at?: FixedTime; offset?: number }, rangeMs: number, around: Around): Around {
  const fixed = at ?? around.at
  // A fixed time takes the effect of the surroundings away.
  const { offsetMs, rangeMs: outer } = at === undefined ? around : { offsetMs: 0, rangeMs: 0 }
  return { rangeMs: outer + rangeMs, offsetMs: offsetMs + offset, ...(fixed !== undefined && { at: fixed }) }
}

function presence(selector: VectorSelector, ownMs: number, around: Around, workspace: LabelledWorkspace): string {
  const { at, offsetMs, rangeMs } = shifted(selector, ownMs, around)
  const fixed = at === undefined ? '' : ` @ ${typeof at === 'number' ? at / 1000 : `${at}()`}`
  const offset = offsetMs === 0 ? '' : ` offset ${offsetMs}ms`
  return `group(last_over_time(${selectorText(selector.matchers, workspace)}[${rangeMs}ms]${offset}${fixed}))`
}
