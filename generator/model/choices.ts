import { choicesOf, permitsNull, isNewer } from '../read/dialect.ts'
import { jsonTypeFits } from '../read/fits.ts'
import { text } from '../read/located.ts'
import type { Located } from '../read/types.ts'
import { isJson } from './json.ts'
import type { Schema, SchemaBase } from './types.ts'

/**
 * Builds the schema of `enum` and `const`, of the values that fit one of `types`. Lists and objects among the values
 * become constants. Returns undefined for a schema without these keywords.
 */
export function choicesSchema(at: Located, base: SchemaBase, types: readonly string[] | undefined): Schema | undefined {
  const choices = choicesOf(at)?.map(({ value }) => value)
  if (!choices) return undefined
  const fitting = choices.filter(value => !types || types.some(type => jsonTypeFits(type, value)))
  const values = fitting.filter(isScalar)
  const constants = fitting.flatMap((value): readonly Schema[] =>
    typeof value === 'object' && value !== null && isJson(value)
      ? [{ kind: 'constant', value, position: base.position }]
      : [],
  )
  const { nullable: permitted, ...rest } = base
  const hasNull = isNewer(at) ? choices.includes(null) && (!types || permitsNull(at)) : permitted
  const whole: SchemaBase = { ...rest, ...(hasNull && { nullable: true }) }
  if (constants.length === 0) return scalarChoices(at, values, whole)
  const [only] = constants
  if (only && constants.length === 1 && values.length === 0) return { ...only, ...whole }
  const scalars = values.length > 0 ? [scalarChoices(at, values, { position: base.position })] : []
  return { kind: 'union', exactlyOne: false, of: [...scalars, ...constants], ...whole }
}

type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function scalarChoices(at: Located, values: readonly Scalar[], base: SchemaBase): Schema {
  if (values.length === 0) return { kind: 'never', ...base }
  const unspecified = text(at, 'x-unspecified')
  return {
    kind: 'enum',
    values: [...new Set(values)],
    ...(unspecified !== undefined && values.includes(unspecified) && { unspecified }),
    ...base,
  }
}
