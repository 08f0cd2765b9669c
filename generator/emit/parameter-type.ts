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
export function parameterType(schema: Schema, emission: Emission): Doc {
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

const isScalar = (schema: Schema, emission: Emission): boolean =>
  ['string', 'number', 'boolean', 'enum'].includes(resolved(emission, schema).kind)

/** Whether a value is a list or an object, which takes several texts. */
export function isComposite(schema: Schema, emission: Emission): boolean {
  const { kind } = resolved(emission, schema)
  return kind === 'array' || kind === 'object'
}

/**
 * Returns the code of the conversion of one text. The scalars of a union count if they agree; the other alternatives
 * have no form as a text.
 */
export function scalarOf(schema: Schema, emission: Emission): string {
  const of = resolved(emission, schema)
  if (of.kind === 'union') {
    const forms = of.of.filter(form => isScalar(form, emission)).map(form => scalarOf(form, emission))
    return new Set(forms).size === 1 ? (forms[0] ?? "'string'") : "'string'"
  }
  const as = heldAs(of, emission)
  if (as) return quote(as)
  if (of.kind === 'number') return of.integer ? "'integer'" : "'number'"
  if (of.kind === 'boolean') return "'boolean'"
  if (of.kind !== 'enum') return "'string'"
  const types = new Set(of.values.map(value => typeof value))
  if (types.size > 1 || types.has('string')) return "'string'"
  return types.has('boolean') ? "'boolean'" : "'number'"
}
