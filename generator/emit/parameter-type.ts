import { joinedObject } from '../model/joined-object.ts'
import { isMap, type Parameter, type Schema } from '../model/types.ts'
import { type Emission, resolved } from './emission.ts'
import { heldAs } from './int64/held.ts'
import type { Doc } from './layout/doc.ts'
import { object, property, quote } from './layout/typescript.ts'

/**
 * Returns ` as const` for a name that every object inherits, else an empty text. Without `as const`, TypeScript
 * compares a member of this name with the inherited member and accepts any text.
 */
export const exact = (name: string): string => (name in Object.prototype ? ' as const' : '')

/** Returns the resolved schema of a parameter; an intersection of objects is one object. */
const formOf = (schema: Schema, emission: Emission): Schema =>
  joinedObject(resolved(emission, schema), each => resolved(emission, each))

/**
 * Returns the code of the conversion of a parameter's texts, such as `'integer'` or `{ array: 'string' }`. The checks
 * of the document have reported the values that no text can express, such as unions of objects. `takesRest`: the
 * undeclared members of a map belong to the value, as they do for parameters; in forms, they are members of the form.
 */
export function parameterType(schema: Schema, emission: Emission, style?: string, takesRest = false): Doc {
  if (style === 'deepObject') return deepType(schema, emission, 0)
  const of = formOf(schema, emission)
  if (of.kind !== 'object') return itemType(of, emission)
  const rows = of.properties.map(({ name, schema: inner }) => memberRow(name, memberType(inner, emission)))
  return object([['object: ', object(rows)], ...(takesRest ? furtherRow(of, each => memberType(each, emission)) : [])])
}

/** Returns the conversion of a scalar or of a list of scalars. */
function itemType(schema: Schema, emission: Emission): Doc {
  const of = resolved(emission, schema)
  return of.kind === 'array' ? object([['array: ', scalarOf(of.items, emission)]]) : scalarOf(of, emission)
}

/** Returns the conversion of a member of a flat object. */
const memberType = (schema: Schema, emission: Emission): Doc =>
  resolved(emission, schema).kind === 'any' ? "'any'" : itemType(schema, emission)

const memberRow = (name: string, type: Doc): Doc =>
  property(name, typeof type === 'string' ? [type, exact(name)] : type)

/** Returns the conversion of the undeclared members of an object, if it is a map. */
function furtherRow(of: ObjectSchema, typeOfValue: (schema: Schema) => Doc): readonly Doc[] {
  if (!isMap(of)) return []
  return [['further: ', typeof of.additional === 'object' ? typeOfValue(of.additional) : "'any'"]]
}

type ObjectSchema = Extract<Schema, { kind: 'object' }>

/** Whether the members of a parameter are all texts of its place that belong to no other parameter. */
export function takesOthers({ explode, in: place, schema, style }: Parameter, emission: Emission): boolean {
  const of = formOf(schema, emission)
  return explode && style === 'form' && (place === 'query' || place === 'cookie') && isMap(of)
}

/** The maximal nesting of an object of the style `deepObject`; deeper objects are refused as values of a text are. */
const maxDepth = 5

/** Returns the conversion of an object with objects as members, or of a union of an object and scalars. */
function deepType(schema: Schema, emission: Emission, depth: number): Doc {
  const of = formOf(schema, emission)
  const forms = of.kind === 'union' ? of.of.map(each => formOf(each, emission)) : [of]
  const [object_, ...others] = forms.filter(form => form.kind === 'object')
  if (!object_ || others.length > 0 || depth > maxDepth) return parameterType(schema, emission)
  const typeOfMember = (inner: Schema): Doc =>
    resolved(emission, inner).kind === 'any' ? "'any'" : deepType(inner, emission, depth + 1)
  const rows = object_.properties.map(({ name, schema: inner }) => memberRow(name, typeOfMember(inner)))
  const scalar = of.kind === 'union' ? [`or: ${scalarOf(of, emission)}`] : []
  return object([['object: ', object(rows)], ...scalar, ...furtherRow(object_, typeOfMember)])
}

const isScalar = (schema: Schema, emission: Emission): boolean =>
  ['string', 'number', 'boolean', 'enum'].includes(resolved(emission, schema).kind)

/** Whether a value is a list or an object, which takes several texts. */
export function isComposite(schema: Schema, emission: Emission): boolean {
  const { kind } = formOf(schema, emission)
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
