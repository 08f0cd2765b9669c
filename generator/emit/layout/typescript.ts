import { isIdentifier } from '../../identifier.ts'
import { type Doc, fill, type Group, group, hang, ifBroken, indent, join, line, softline } from './doc.ts'
import { widthOf } from './width.ts'

/** Matches characters that are escaped, because editors show them badly or not at all. */
const unprintable = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Matches text that needs no escape in quotes, which is the usual case. */
const unescaped = /^[\x20-\x21\x23-\x26\x28-\x5b\x5d-\x7e]*$/

/** Prints a string literal with the quotes that prettier prefers: single, but double if that saves an escape. */
export function quote(text: string): string {
  if (unescaped.test(text)) return `'${text}'`
  const singles = text.split("'").length
  const doubles = text.split('"').length
  const delimiter = singles > doubles ? '"' : "'"
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(delimiter, `\\${delimiter}`)
    .replace(unprintable, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return delimiter + escaped + delimiter
}

/** Prints a member name of a type, quoted if necessary. */
export const key = (name: string): string => (isIdentifier(name) ? name : quote(name))

/** Makes the access to a member: `value.name`, or `value['a-b']`. */
export const member = (value: string, name: string): string =>
  isIdentifier(name) ? `${value}.${name}` : `${value}[${quote(name)}]`

/** Makes `f(a, b)`, with an argument on each line if the call is too long. A list as the last argument breaks alone. */
export function call(callee: string, args: readonly Doc[]): Doc {
  if (args.length === 0) return `${callee}()`
  const last = args.at(-1)
  if (args.filter(isArrow).length > 1)
    return group([callee, '(', indent([softline, join([',', line], args)]), ',', softline, ')'], true)
  if (isGroup(last) && last.asLast !== undefined) {
    return group([callee, '(', join(', ', [...args.slice(0, -1), last.asLast]), ')'])
  }
  if (isList(last) && args.length > 1 && !isList(args.at(-2))) return hugging(callee, args.slice(0, -1), last)
  return group([callee, '(', indent([softline, join([',', line], args)]), ifBroken(','), softline, ')'])
}

export const isGroup = (doc: Doc | undefined): doc is Group =>
  typeof doc === 'object' && 'kind' in doc && doc.kind === 'group'

/** Whether an argument is a function. A call with several functions has each of its arguments on a line. */
const isArrow = (doc: Doc): boolean =>
  typeof doc === 'string' ? doc.startsWith('() =>') : isGroup(doc) && doc.asLast !== undefined

const isList = (doc: Doc | undefined): doc is Group =>
  isGroup(doc) && typeof doc.of === 'object' && !('kind' in doc.of) && doc.of[0] === '['

/** Makes `f(a, { b })`: the last argument, an object or a list, breaks alone if the text before it fits on its line. */
export function hugging(callee: string, args: readonly Doc[], last: Group): Doc {
  const broken = group([callee, '(', indent([softline, join([',', line], [...args, last])]), ',', softline, ')'], true)
  return { kind: 'hug', head: [callee, '(', ...args.map(arg => [arg, ', '])], last, broken }
}

/** Makes `[a, b]`; `broken` breaks the list, as prettier always breaks lists of several objects. */
export function array(items: readonly Doc[], broken = false): Doc {
  if (items.length === 0) return '[]'
  if (items.length > 1 && items.every(isNumeral)) {
    return group(['[', indent([softline, fill(items)]), softline, ']'], broken)
  }
  return group(['[', indent([softline, join([',', line], items)]), ifBroken(','), softline, ']'], broken)
}

/** Makes a list of texts on one line. */
export const texts = (values: readonly string[]): string => `[${values.map(quote).join(', ')}]`

const isNumeral = (doc: Doc): doc is string => typeof doc === 'string' && /^-?\d[^n]*$/.test(doc)

/** Makes `{ a: 1, b }`. An item of `members` is the code of one member, such as `a: 1`. */
export function object(members: readonly Doc[], broken = false): Doc {
  if (members.length === 0) return '{}'
  return group(['{', indent([line, join([',', line], members)]), ifBroken(','), line, '}'], broken)
}

/** Makes an object type, `{ a: string; b?: number }`. */
export function objectType(members: readonly Doc[]): Doc {
  if (members.length === 0) return '{}'
  return group(['{', indent([line, join([ifBroken('', ';'), line], members)]), line, '}'])
}

/** Makes `name: value` in an object. A long text goes below its name, as in prettier's layout. */
export const property = (name: string, value: Doc): Doc => keyed(computedKey(name), value)

/** Makes the same member as `property`, for a name in its printed form: quoted or in brackets if necessary. */
export function keyed(shown: string, value: Doc): Doc {
  const text = typeof value === 'string' ? value : ''
  const isShort = widthOf(shown) < minWorthBreaking
  if (isShort || isNumeral(text) || text === 'true' || text === 'false') return [shown, ': ', value]
  return /^['"]/.test(text) ? lowered(shown, value) : group([shown, ':', hang(value)])
}

/**
 * Makes the same member as `property`, for values that prettier moves to the next line before it breaks them: texts,
 * comparisons, choices.
 */
export const below = (name: string, value: Doc): Doc => lowered(computedKey(name), value)

const lowered = (shown: string, value: Doc): Doc => group([shown, ':', indent([line, value])])

/** Makes the member `name: value ?? standard`. */
export function fallback(name: string, value: string, standard: Doc): Doc {
  const isInlined = typeof standard !== 'string'
  if (isInlined) return property(name, [value, ' ?? ', standard])
  return below(name, group([value, ' ??', line, standard]))
}

/**
 * The expression `test ? consequent : alternate` before its layout, which depends on its place. Several branches make a
 * chain.
 */
export interface Choice {
  readonly branches: readonly (readonly [test: string, consequent: Doc])[]
  readonly otherwise: Doc
}

export type Expression = Doc | Choice

const isChoice = (expression: Expression): expression is Choice =>
  typeof expression === 'object' && 'branches' in expression

/** Makes `test ? consequent : expression`. */
export function choice(test: string, consequent: Doc, expression: Expression): Choice {
  if (!isChoice(expression)) return { branches: [[test, consequent]], otherwise: expression }
  return { branches: [[test, consequent], ...expression.branches], otherwise: expression.otherwise }
}

/** Lays out an expression whose place does not change its layout, such as after `return`. */
export const expressed = (expression: Expression): Doc =>
  isChoice(expression) ? choices(expression.branches, expression.otherwise) : expression

/** Makes the member `name: expression`. */
export const assigned = (name: string, expression: Expression): Doc =>
  isChoice(expression) ? below(name, expressed(expression)) : property(name, expression)

/** Makes `callee(args, item => expression)`. */
export function mapped(callee: string, args: readonly string[], expression: Expression): Doc {
  const head = `${callee}(${[...args, 'item'].join(', ')} =>`
  const body = expressed(expression)
  if (typeof body === 'object' && 'kind' in body && isObject(body)) return [head, ' (', body, '))']
  const parenthesised = isChoice(expression) ? [ifBroken('', '('), body, ifBroken('', ')')] : body
  return group([head, group([indent([line, parenthesised]), ifBroken(','), softline]), ')'])
}

const isObject = (doc: Exclude<Doc, string | readonly Doc[]>): boolean =>
  doc.kind === 'group' && typeof doc.of === 'object' && !('kind' in doc.of) && doc.of[0] === '{'

/**
 * Makes a chain of choices, whose value is the first consequent with a true test: all on one line, or each choice on a
 * separate line.
 */
export const choices = (branches: readonly (readonly [test: string, consequent: Doc])[], otherwise: Doc): Doc =>
  group(
    branches.reduceRight<Doc>(
      (alternate, [test, consequent]) => [test, indent([line, '? ', indent(consequent), line, ': ', alternate])],
      indent(otherwise),
    ),
  )

/**
 * The minimal width in columns of a name after which a value may move to the next line: after a shorter name, a break
 * would save no column.
 */
const minWorthBreaking = 5

/** Prints a number as prettier does: `1e21`, not `1e+21`. */
export const numeral = (value: number): string => String(value).replace('e+', 'e')

/** Returns the type of an enum's value. */
export const literalType = (value: string | number | boolean): string =>
  typeof value === 'string' ? quote(value) : typeof value === 'number' ? numeral(value) : String(value)

/** Makes the expression of a JSON value. */
export function literal(value: unknown): Doc {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return numeral(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return array(value.map(literal), isTable(value))
  return object(Object.entries(value).map(([name, item]) => property(name, literal(item))))
}

/**
 * Whether prettier always breaks a list: it breaks a list of several objects, or of several lists, that each have more
 * than one item.
 */
function isTable(items: readonly unknown[]): boolean {
  if (items.length < 2) return false
  const isLists = Array.isArray(items[0])
  return items.every(item => isCompound(item) && Array.isArray(item) === isLists && Object.keys(item).length > 1)
}

const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Returns the name of a member in an object literal. `__proto__: x` would set the prototype; a computed `__proto__` is
 * an ordinary member.
 */
const computedKey = (name: string): string => (name === '__proto__' ? "['__proto__']" : key(name))

/** Makes the head of a function, `name(a: A, b?: B): R`, with a parameter on each line if the head is too long. */
export function signature(name: string, parameters: readonly Doc[], result: Doc): Doc {
  if (parameters.length === 0) return group([name, '(): ', group(result)])
  return group([
    [name, '(', indent([softline, join([',', line], parameters)]), ifBroken(','), softline, '): '],
    group(result),
  ])
}

/** Makes `if (a && b) statement`, with prettier's line breaks. */
export function conditional(conditions: readonly Doc[], statement: Doc): Doc {
  if (conditions.length === 0) return statement
  return group([
    'if (',
    group([indent([softline, join([' &&', line], conditions)]), softline]),
    ')',
    indent([line, statement]),
  ])
}
