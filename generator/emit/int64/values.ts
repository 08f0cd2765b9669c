import type { Json, Schema } from '../../model/types.ts'
import type { Int64 } from '../../options.ts'
import { type Emission, resolved } from '../emission.ts'
import { heldAs } from './held.ts'
import { literalType } from '../layout/typescript.ts'

/** Returns an integer of a document, as a decimal text, in the form of generated code. */
const held = (text: string, as: Int64): bigint | string => (as === 'bigint' ? BigInt(text) : text)

/** Returns the values of an enum in the form of generated code. */
export function enumValues(
  schema: Extract<Schema, { kind: 'enum' }>,
  emission: Pick<Emission, 'options'>,
): readonly (string | number | boolean | bigint)[] {
  const as = heldAs(schema, emission)
  return as ? (schema.exact ?? []).map(text => held(text, as)) : schema.values
}

/** Returns the type of a value of an enum in the form of generated code. */
export const heldType = (value: string | number | boolean | bigint): string =>
  typeof value === 'bigint' ? `${value}n` : literalType(value)

/** A value of a document in the form of generated code. */
export type HeldJson = bigint | Json | readonly HeldJson[] | { readonly [member: string]: HeldJson }

/** Returns a default in the form of generated code; a list or an object stays as it is. */
export function heldDefault(value: HeldJson, schema: Schema, emission: Emission): HeldJson {
  if (typeof value !== 'number') return value
  const of = resolved(emission, schema)
  const branches = of.kind === 'union' || of.kind === 'intersection' ? of.of.map(each => resolved(emission, each)) : []
  const as = [of, ...branches].map(each => heldAs(each, emission)).find(each => each !== undefined)
  if (!as || !Number.isInteger(value)) return value
  const exact = [schema, of].find(each => each.default === value && each.exactDefault !== undefined)
  return held(exact?.exactDefault ?? String(BigInt(value)), as)
}

/**
 * Returns the branches of an intersection. If one of them is a held integer, the other numbers of the same value are too.
 */
export function alike(of: readonly Schema[], emission: Emission): readonly Schema[] {
  if (emission.options.int64 === undefined) return of
  return of.some(branch => heldAs(resolved(emission, branch), emission)) ? of.map(asInt64) : of
}

function asInt64(schema: Schema): Schema {
  switch (schema.kind) {
    case 'number': {
      const { implied: _, ...stated } = schema
      return { ...stated, integer: true, format: 'int64' }
    }
    case 'enum':
      return { ...schema, exact: schema.exact ?? exactTexts(schema.values) }
    case 'union':
    case 'intersection':
      return { ...schema, of: schema.of.map(asInt64) }
    case 'not':
      return { ...schema, of: asInt64(schema.of) }
    case 'conditional':
      return {
        ...schema,
        if: asInt64(schema.if),
        ...(schema.then && { then: asInt64(schema.then) }),
        ...(schema.else && { else: asInt64(schema.else) }),
      }
    default:
      return schema
  }
}

const exactTexts = (values: readonly unknown[]): readonly string[] =>
  values.flatMap(value => (Number.isInteger(value) ? [String(BigInt(Number(value)))] : []))
