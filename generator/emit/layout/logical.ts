import { type Doc, group, ifBroken, indent, line, softline } from './doc.ts'

/** An expression of `&&` and `||`; its breaks depend on its place. */
export interface Logical {
  readonly first: Doc
  readonly rest: Doc
}

/** An expression that is true if `passes` or all of `calls` are true; without calls it is always true. */
export function either(passes: string | undefined, calls: readonly Doc[]): Doc | Logical {
  const [only = 'true'] = calls
  if (calls.length < 2) return passes === undefined || calls.length === 0 ? only : joined('||', [passes, only])
  if (passes === undefined) return joined('&&', calls)
  return { first: passes, rest: [' ||', line, '(', asStatement(chained('&&', calls)), ')'] }
}

/** Two operands keep the operator with the second if both fit on a line of their own; in a chain, each has its line. */
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

/** Prints `return a || b`, in parentheses if it breaks. */
export function asReturned(expression: Doc | Logical): Doc {
  if (!isLogical(expression)) return ['return ', expression]
  const { first, rest } = expression
  return group(['return ', ifBroken('('), indent([softline, group([first, rest])]), softline, ifBroken(')')])
}

/** Prints `(a, b) => c || d`, with the body on a line of its own if it must break. */
export function asArrow(parameters: string, expression: Doc | Logical): Doc {
  const head = `${parameters} =>`
  if (isLogical(expression)) return group([head, group(indent([line, group([expression.first, expression.rest])]))])
  const asLast = [head, group([indent([line, expression]), ifBroken(','), softline])]
  return { kind: 'group', of: [head, group(indent([line, expression]))], broken: false, asLast }
}

/** `a && b` as a statement, or in parentheses. */
export function asStatement(expression: Doc | Logical): Doc {
  return isLogical(expression) ? group([expression.first, indent(expression.rest)]) : expression
}
