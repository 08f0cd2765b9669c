import type { Argument, Call, Expression, Group, Literal, Member } from '../../../runtime/filter/parse.ts'

const separators = { and: ' AND ', sequence: ' ', or: ' OR ' } as const

/**
 * The operators from loose to tight: an inner expression needs parentheses unless it is tighter than its outer
 * expression.
 */
const tightness = ['and', 'sequence', 'or', 'not']

/**
 * Returns the filter text of an expression; `parseFilter` of this text returns the same expression apart from
 * positions.
 */
export function printFilter(expression: Expression): string {
  switch (expression.kind) {
    case 'empty':
      return ''
    case 'not':
      return `NOT ${inside('not', expression.term)}`
    case 'compare':
      return `${printValue(expression.left)} ${expression.operator} ${printValue(expression.value)}`
    case 'global':
      return printValue(expression.value)
    default:
      return expression.terms.map(term => inside(expression.kind, term)).join(separators[expression.kind])
  }
}

function inside(outer: Group['kind'], term: Group): string {
  const at = tightness.indexOf(term.kind)
  return at >= 0 && at <= tightness.indexOf(outer) ? `(${printFilter(term)})` : printFilter(term)
}

function printValue(value: Argument | Literal | Member | Call): string {
  switch (value.kind) {
    case 'text':
      return value.text
    case 'string':
      return `"${value.pieces.map(piece => piece.replace(/[\\"*]/g, String.raw`\$&`)).join('*')}"`
    case 'member':
      return value.path.map(printValue).join('.')
    case 'call':
      return `${value.name}(${value.arguments.map(printValue).join(', ')})`
    default:
      return `(${printFilter(value)})`
  }
}
