// Copied by ninefold. Do not edit: generate writes it again.

import { didYouMean, quoted, refusal, unusualBlank } from '../refusal.ts'
import { parseDuration, parseTimestamp } from '../timestamps.ts'
import { fieldsByName } from './fields.ts'
import { FilterSyntaxError } from './lex.ts'
import { parseFilter, type Call, type Expression, type Group, type Literal, type Member } from './parse.ts'
import type { Comparator, Filter, FilterField, FilterType, FilterValue, ListFields } from './types.ts'

type Compare = Extract<Group, { readonly kind: 'compare' }>

/**
 * Returns the filter of a comparison, a value or a negation. Returns undefined for a negation that `walk` negates as
 * usual, and for a group that is no filter here.
 */
type Leaf = (part: Group) => Filter | undefined

/** Matches the strings of a filter, and a string that is not closed. */
const strings = /"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)/g

/**
 * Returns the checked filter of a list, or undefined for an empty filter. Finds every fault of a filter, so the
 * evaluation of a row finds none. Throws `ApiError` FILTER_INVALID with the 0-based `position` (conventions §8).
 */
export function checkFilter(text: string, list: ListFields): Filter | undefined {
  if (text === '') return undefined
  const unusual = unusualBlank(text) && unusualBlank(text.replace(strings, string => ' '.repeat(string.length)))
  if (unusual) return invalid(unusual.at, `${unusual.name} is no blank; write an ordinary space, or quote the value`)
  const expression = parse(text)
  if (expression.kind === 'empty') return undefined
  const fields = fieldsByName(list)
  return walk(expression, part => {
    if (part.kind === 'compare') return comparison(part, text, fields)
    return part.kind === 'global' ? alone(part.value, part.at) : undefined
  })
}

function parse(text: string): Expression {
  try {
    return parseFilter(text)
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error
    return invalid(error.position, error.message)
  }
}

function walk(group: Group, leaf: Leaf): Filter {
  switch (group.kind) {
    case 'and':
    case 'sequence':
    case 'or':
      return { kind: group.kind === 'or' ? 'or' : 'and', terms: group.terms.map(term => walk(term, leaf)) }
    case 'not':
      return leaf(group) ?? { kind: 'not', term: walk(group.term, leaf) }
    default:
      return leaf(group) ?? invalid(group.at, 'a comparison cannot be a value; write only values in these parentheses')
  }
}

function alone(value: Literal | Call, at: number): never {
  if (value.kind === 'call') return invalid(at, 'functions are not supported; compare a field with a value')
  const word = textOf(value)
  const keyword = /^(?:and|or|not)$/i.test(word) && word.toUpperCase()
  if (keyword) return invalid(at, `keywords are upper case; use ${keyword}`)
  return invalid(at, `${quoted(word)} stands alone; name a field, as in field = value, and use AND between comparisons`)
}

function comparison({ left, operator, value, at }: Compare, text: string, fields: ReadonlyMap<string, FilterField>) {
  if (left.kind === 'call') return alone(left, left.at)
  const restrict = (literal: Literal | Call, position: number): Filter =>
    literal.kind === 'call' ? alone(literal, position) : restriction(left, fields, operator, literal, position)
  if (value.kind === 'text' || value.kind === 'string' || value.kind === 'call') return restrict(value, at)
  return walk(value, part => {
    if (part.kind === 'global') return restrict(part.value, part.at)
    const number = part.kind === 'not' && part.term.kind === 'global' && part.term.value
    // Inside of a group too, the `-` before a number is the sign of the number.
    if (!number || number.kind !== 'text' || text[part.at] !== '-' || !/^\d/.test(number.text)) return undefined
    return restrict({ kind: 'text', text: `-${number.text}` }, part.at)
  })
}

function restriction(
  left: Member,
  fields: ReadonlyMap<string, FilterField>,
  operator: Comparator,
  literal: Literal,
  at: number,
): Filter {
  const { field, key } = target(left, fields)
  if (operator === ':' && isStar(literal)) return { kind: 'present', field, key }
  if (field.type === 'PRESENCE') return invalid(left.at, `field ${quoted(field.name)} can only be tested with :*`)
  const isWholeMap = field.type === 'MAP' && key === undefined
  const allowed: readonly Comparator[] = field.list || isWholeMap ? [':'] : field.operators
  if (!allowed.includes(operator))
    return invalid(left.at, `field ${quoted(field.name)} takes ${allowed.join(' ')}, not ${operator}`)
  if (isWholeMap) return { kind: 'present', field, key: textOf(literal) }
  const type = field.type === 'MAP' ? (field.values ?? 'STRING') : field.type
  const exact = operator === ':' ? '=' : operator
  if (type === 'STRING' && (exact === '=' || exact === '!=')) {
    const pieces = literal.kind === 'text' ? literal.text.split('*') : literal.pieces
    if (pieces.length > 1) return { kind: 'like', field, key, pieces, negated: exact === '!=' }
  }
  return { kind: 'compare', field, key, operator: exact, value: valueOf(field, type, literal, at) }
}

/** Resolves a left side: returns the field with the longest matching name, and for a MAP one of its keys. */
function target({ path, at }: Member, fields: ReadonlyMap<string, FilterField>): { field: FilterField; key?: string } {
  let field: FilterField | undefined
  let taken = 0
  let name = ''
  for (const [i, step] of path.entries()) {
    if (isDotted(step)) break
    name += i > 0 ? `.${textOf(step)}` : textOf(step)
    const known = fields.get(name)
    if (known) [field, taken] = [known, i + 1]
  }
  if (!field) {
    const whole = nameOf(path)
    return invalid(at, `unknown field ${quoted(whole)}${didYouMean(whole, fields.keys())}`)
  }
  const key = path[taken]
  if (key === undefined) {
    return field.operators.length > 0 ? { field } : invalid(at, `${quoted(field.name)} can only be sorted by`)
  }
  if (field.type === 'MAP' && taken + 1 === path.length) return { field, key: textOf(key) }
  const rest = quoted(nameOf(path.slice(taken)))
  if (field.type !== 'MAP') return invalid(at, `field ${quoted(field.name)} has no ${rest} to filter by`)
  return invalid(at, `dots need quotes, as in ${field.name}.${rest}`)
}

function nameOf(path: readonly Literal[]): string {
  return path.map(textOf).join('.')
}

function textOf(literal: Literal): string {
  return literal.kind === 'text' ? literal.text : literal.pieces.join('*')
}

/** Whether a step of a path is a quoted string that contains a dot. */
function isDotted(step: Literal): boolean {
  return step.kind === 'string' && textOf(step).includes('.')
}

function isStar(literal: Literal): boolean {
  return literal.kind === 'text' ? literal.text === '*' : literal.pieces.length === 2 && textOf(literal) === '*'
}

function valueOf(field: FilterField, type: FilterType, literal: Literal, at: number): FilterValue {
  const text = textOf(literal)
  if (literal.kind === 'text' && /["']/.test(text)) return invalid(at, 'put the whole value in quotes')
  const [wanted, read] = literals[type]
  const value = read(text, field)
  if (value !== undefined) return value
  const choices = field.enumValues ?? []
  const hint = didYouMean(text, choices) || (choices.length > 0 ? `; use ${choices.slice(0, 12).join(', ')}` : '')
  return invalid(at, `${quoted(text)} is not ${wanted}${hint}`)
}

type Read = (text: string, field: FilterField) => FilterValue | undefined

const asText: readonly [string, Read] = ['text', text => text]

/** The name of the expected form and the parser of a bare or quoted value, keyed by the type of the field. */
const literals: Readonly<Record<FilterType, readonly [string, Read]>> = {
  STRING: asText,
  MAP: asText,
  PRESENCE: asText,
  ENUM: ['a value of this field', (text, { enumValues }) => (enumValues?.includes(text) === false ? undefined : text)],
  BOOLEAN: ['true or false', text => (text === 'true' || text === 'false' ? text === 'true' : undefined)],
  INTEGER: ['an integer', text => (/^-?\d+$/.test(text) ? BigInt(text) : undefined)],
  NUMBER: ['a number', text => (/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined)],
  TIMESTAMP: ['an RFC 3339 time such as 2026-01-31T12:00:00Z', parseTimestamp],
  DURATION: ['a duration such as 1.5s', parseDuration],
}

function invalid(position: number, description: string): never {
  throw refusal('FILTER_INVALID', 'filter', `${description} (position ${position})`, { position: String(position) })
}
