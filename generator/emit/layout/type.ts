import { isIdentifier } from '../../identifier.ts'
import { type Doc, flat, group, hang, ifBroken, indent, join, line, softline } from './doc.ts'
import { objectType } from './typescript.ts'

/** A TypeScript type before its layout, because its place decides its parentheses and line breaks. */
export type Type =
  /** A name or a literal in its printed form: `Vm`, `'a'`, `null`. */
  | string
  | { readonly kind: 'object'; readonly members: readonly Doc[] }
  | { readonly kind: 'generic'; readonly name: string; readonly args: readonly Type[] }
  | { readonly kind: 'array'; readonly of: Type }
  | { readonly kind: 'tuple'; readonly first: readonly TupleItem[]; readonly rest?: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] }
  | { readonly kind: 'intersection'; readonly of: readonly Type[] }

/** An item of a tuple type; an optional item may be absent, with all items after it. */
export interface TupleItem {
  readonly type: Type
  readonly isOptional: boolean
}

/** Makes a tuple type such as `[string, number?, ...boolean[]]`. */
export const tupleOf = (first: readonly TupleItem[], rest?: Type): Type => ({
  kind: 'tuple',
  first,
  ...(rest !== undefined && { rest }),
})

/** Makes an object type such as `{ a: string }`; without members, the type is `{}`. */
export const objectOf = (members: readonly Doc[]): Type => (members.length === 0 ? '{}' : { kind: 'object', members })

/** Makes a type with arguments such as `Promise<Vm>`. */
export const generic = (name: string, ...args: readonly Type[]): Type => ({ kind: 'generic', name, args })

export const arrayOf = (of: Type): Type => ({ kind: 'array', of })

/** Makes a union of the distinct alternatives; a single alternative is no union. */
export function unionOf(alternatives: readonly Type[]): Type {
  const flat = alternatives.flatMap(type => (isKind(type, 'union') ? type.of : [type]))
  const of = [...new Map(flat.map(type => [JSON.stringify(type), type])).values()]
  return of.length === 1 ? (of[0] ?? 'never') : { kind: 'union', of }
}

export function intersectionOf(operands: readonly Type[]): Type {
  const of = operands.flatMap(type => (isKind(type, 'intersection') ? type.of : [type]))
  return of.length === 1 ? (of[0] ?? 'unknown') : { kind: 'intersection', of }
}

/** Makes `name: Type` or `name?: Type`; `prefix` ends with the colon. */
export function annotated(prefix: Doc, type: Type): Doc {
  if (!isKind(type, 'union') || isHugged(type)) return [prefix, ' ', layout(type)]
  return group([prefix, indent([line, group(alternatives(type.of))])])
}

/** Makes `export type Name = Type`. */
export function aliased(name: string, type: Type): Doc {
  const prefix = `export type ${name} =`
  if (isKind(type, 'union')) return annotated(prefix, type)
  return group([prefix, hang(layout(type))])
}

/**
 * Makes `const name: Type = value`, with `head` before the colon. If a type has several arguments and one of these has
 * arguments, prettier breaks only inside the type's arguments.
 */
export function constant(head: string, type: Type, value: Doc): Doc {
  const left = [`${head}: `, layout(type)]
  const isComplex = isKind(type, 'generic') && type.args.length > 1 && type.args.some(each => isKind(each, 'generic'))
  return isComplex ? group([left, ' = ', value]) : group([group(left), ' =', hang(value)])
}

/**
 * Lays out a type whose place does not change its layout: after a name and a colon that never break, or as a result.
 */
export function layout(type: Type): Doc {
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'object':
      return objectType(type.members)
    case 'generic':
      return genericLayout(type.name, type.args)
    case 'array':
      return [operand(type.of), '[]']
    case 'tuple':
      return tupleLayout(type)
    case 'union':
      return isHugged(type) ? join(' | ', type.of.map(layout)) : group(alternatives(type.of))
    case 'intersection':
      return intersection(type.of)
  }
}

/** Returns the code of a type on one line. */
export const typeCode = (type: Type): string => flat(layout(type))

function genericLayout(name: string, args: readonly Type[]): Doc {
  const [only] = args
  if (args.length === 1 && only !== undefined && isHugged(only)) return [name, '<', layout(only), '>']
  return group([name, '<', indent([softline, join([',', line], args.map(layout))]), softline, '>'])
}

/** Lays out a tuple. Only a tuple without further items may end with a comma. */
function tupleLayout({ first, rest }: Extract<Type, { readonly kind: 'tuple' }>): Doc {
  const items = first.map(({ type, isOptional }): Doc => (isOptional ? [operand(type), '?'] : layout(type)))
  const all = rest === undefined ? items : [...items, ['...', operand(rest), '[]']]
  if (all.length === 0) return '[]'
  return group([
    '[',
    indent([softline, join([',', line], all)]),
    rest === undefined ? ifBroken(',') : '',
    softline,
    ']',
  ])
}

const alternatives = (of: readonly Type[]): Doc => [
  ifBroken('| '),
  join(
    [line, '| '],
    of.map(type => indent(isKind(type, 'intersection') ? operand(type) : layout(type))),
  ),
]

/** Lays out an intersection. Objects stay on the line of the `&` next to them; names get separate lines. */
function intersection(of: readonly Type[]): Doc {
  let isIndented = false
  return group(
    of.map((type, i): Doc => {
      const before = of[i - 1]
      if (before === undefined) return operand(type)
      const isObject = isKind(type, 'object')
      if (!isObject && !isKind(before, 'object')) return indent([' &', line, operand(type)])
      if (isObject && isKind(before, 'object')) return [' & ', isIndented ? indent(operand(type)) : operand(type)]
      isIndented ||= i > 1
      return [' & ', i > 1 ? indent(operand(type)) : operand(type)]
    }),
  )
}

/**
 * Lays out an operand of an intersection, a list or a union, with parentheses if the operand is a union or an
 * intersection.
 */
function operand(type: Type): Doc {
  if (isKind(type, 'union')) {
    return isHugged(type)
      ? ['(', layout(type), ')']
      : ['(', group([indent([softline, group(alternatives(type.of))]), softline]), ')']
  }
  return isKind(type, 'intersection') ? ['(', intersection(type.of), ')'] : layout(type)
}

/**
 * Whether prettier keeps a type on the line of its brackets. Prettier keeps names, texts, objects, and unions of `null`
 * with a name or an object.
 */
function isHugged(type: Type): boolean {
  if (typeof type === 'string') return isIdentifier(type) || /^['"]/.test(type)
  if (type.kind === 'object') return true
  if (type.kind !== 'union') return false
  const others = type.of.filter(each => each !== 'null')
  return others.length === 1 && others.every(each => isReference(each) || isKind(each, 'object'))
}

const isReference = (type: Type): boolean =>
  typeof type === 'string' ? isIdentifier(type) && !keywords.has(type) : type.kind === 'generic'

const keywords: ReadonlySet<string> = new Set([
  'bigint',
  'boolean',
  'never',
  'null',
  'number',
  'string',
  'undefined',
  'unknown',
])

function isKind<K extends Exclude<Type, string>['kind']>(
  type: Type,
  kind: K,
): type is Extract<Type, { readonly kind: K }> {
  return typeof type !== 'string' && type.kind === kind
}
