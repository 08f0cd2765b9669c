import { type Doc, group, ifBroken, indent, line, softline } from './doc.ts'

/** An expression of `&&` and `||`. The place of the expression decides its line breaks. */
export interface Logical {
  readonly first: Doc
  readonly rest: Doc
}

/**
 * Makes an expression that is true if `passes` is true or all of `calls` are true; without calls, the expression is
 * `true`.
 */
export function either(passes: string | undefined, calls: readonly Doc[]): Doc | Logical {
  const [only = 'true'] = calls
  if (calls.length < 2) return passes === undefined || calls.length === 0 ? only : joined('||', [passes, only])
  if (passes === undefined) return joined('&&', calls)
  return { first: passes, rest: [' ||', line, '(', asStatement(chained('&&', calls)), ')'] }
}

/**
 * Joins operands. The second of two operands may move to the line after the operator; in a longer chain, each operand
 * has its line.
 */
function joined(operator: '&&' | '||', operands: readonly Doc[]): Logical {
  const [first = 'true', second, ...others] = operands
  if (second === undefined || others.length > 0) return chained(operator, operands)
  return { first, rest: [' ', group([operator, line, second])] }
}

const chained = (operator: '&&' | '||', [first = 'true', ...others]: readonly Doc[]): Logical => ({
  first,
  rest: others.map(other => [` ${operator}`, line, other]),
})

const isLogical = (expression: Doc | Logical): expression is Logical =>
  typeof expression === 'object' && 'first' in expression

/** Makes the statement `return a || b`, in parentheses if it breaks. */
export function asReturned(expression: Doc | Logical): Doc {
  if (!isLogical(expression)) return ['return ', expression]
  const { first, rest } = expression
  return group(['return ', ifBroken('('), indent([softline, group([first, rest])]), softline, ifBroken(')')])
}

/** Makes `(a, b) => c || d`, with the body on a separate line if the function does not fit on one line. */
export function asArrow(parameters: string, expression: Doc | Logical): Doc {
  const head = `${parameters} =>`
  if (isLogical(expression)) return group([head, group(indent([line, group([expression.first, expression.rest])]))])
  const asLast = [head, group([indent([line, expression]), ifBroken(','), softline])]
  return { kind: 'group', of: [head, group(indent([line, expression]))], broken: false, asLast }
}

/** Makes `a && b` for use as a statement or between parentheses. */
export function asStatement(expression: Doc | Logical): Doc {
  return isLogical(expression) ? group([expression.first, indent(expression.rest)]) : expression
}
