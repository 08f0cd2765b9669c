import type { Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { heldAs } from './int64/held.ts'
import type { Doc } from './layout/doc.ts'
import { object, property, quote } from './layout/typescript.ts'

/**
 * Returns ` as const` for a name that every object inherits, else an empty text. Without `as const`, TypeScript
 * compares a member of this name with the inherited member and accepts any text.
 */
export const exact = (name: string): string => (name in Object.prototype ? ' as const' : '')

/**
 * Returns the code of the conversion of a parameter's texts, such as `'integer'` or `{ array: 'string' }`. The checks
 * of the document have reported the values that no text can express, such as unions of objects.
 */
export function parameterType(schema: Schema, emission: Emission, style?: string): Doc {
  if (style === 'deepObject') return deepType(schema, emission, 0)
  const of = resolved(emission, schema)
  if (of.kind === 'array') return object([['array: ', scalarOf(of.items, emission)]])
  if (of.kind !== 'object') return scalarOf(of, emission)
  const rows = of.properties.map(({ name, schema: inner }) => {
    const type = resolved(emission, inner)
    if (type.kind === 'array') return property(name, object([['array: ', scalarOf(type.items, emission)]]))
    return property(name, [scalarOf(type, emission), exact(name)])
  })
  return object([['object: ', object(rows)]])
}

/** The maximal nesting of an object of the style `deepObject`; deeper objects are refused as values of a text are. */
const maxDepth = 5

/** Returns the conversion of an object with objects as members, or of a union of an object and scalars. */
function deepType(schema: Schema, emission: Emission, depth: number): Doc {
  const of = resolved(emission, schema)
  const forms = of.kind === 'union' ? of.of.map(each => resolved(emission, each)) : [of]
  const [object_, ...others] = forms.filter(form => form.kind === 'object')
  if (!object_ || others.length > 0 || depth > maxDepth) return parameterType(schema, emission)
  const rows = object_.properties.map(({ name, schema: inner }) => {
    const type = deepType(inner, emission, depth + 1)
    return property(name, typeof type === 'string' ? [type, exact(name)] : type)
  })
  const scalar = of.kind === 'union' ? [`or: ${scalarOf(of, emission)}`] : []
  return object([['object: ', object(rows)], ...scalar])
}

const isScalar = (schema: Schema, emission: Emission): boolean =>
  ['string', 'number', 'boolean', 'enum'].includes(resolved(emission, schema).kind)

/** Whether a value is a list or an object, which takes several texts. */
export function isComposite(schema: Schema, emission: Emission): boolean {
  const { kind } = resolved(emission, schema)
  return kind === 'array' || kind === 'object'
}

/**
 * Returns the code of the conversion of one text. The scalars of a union count if they agree, or if none is a text; the
 * other alternatives have no form as a text.
 */
export function scalarOf(schema: Schema, emission: Emission): string {
  const of = resolved(emission, schema)
  if (of.kind === 'union') {
    const forms = of.of.filter(form => isScalar(form, emission)).map(form => scalarOf(form, emission))
    const isLiteral = forms.length > 0 && forms.every(form => /^'(?:integer|number|boolean|literal)'$/.test(form))
    return new Set(forms).size === 1 ? (forms[0] ?? "'string'") : isLiteral ? "'literal'" : "'string'"
  }
  const as = heldAs(of, emission)
  if (as) return quote(as)
  if (of.kind === 'number') return of.integer ? "'integer'" : "'number'"
  if (of.kind === 'boolean') return "'boolean'"
  if (of.kind !== 'enum') return "'string'"
  const types = new Set(of.values.map(value => typeof value))
  if (types.has('string')) return "'string'"
  if (types.size > 1) return "'literal'"
  return types.has('boolean') ? "'boolean'" : "'number'"
}
