import { choicesOf, permitsNull, isNewer, typeOf } from '../read/dialect.ts'
import { jsonTypeFits } from '../read/fits.ts'
import { text } from '../read/located.ts'
import type { Located } from '../read/types.ts'
import type { Building } from './building.ts'
import { exactText } from './exact-integers.ts'
import { isJson } from './json.ts'
import type { Schema, SchemaBase } from './types.ts'

/**
 * Builds the schema of `enum` and `const`, of the values that fit one of `types`. Lists and objects among the values
 * become constants. Returns undefined for a schema without these keywords.
 */
export function choicesSchema(
  at: Located,
  base: SchemaBase,
  types: readonly string[] | undefined,
  { isExact }: Building,
): Schema | undefined {
  const located = choicesOf(at)
  if (!located) return undefined
  const choices = located.map(({ value }) => value)
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
  if (constants.length === 0) return scalarChoices(at, values, whole, isExact ? located : [])
  const [only] = constants
  if (only && constants.length === 1 && values.length === 0) return { ...only, ...whole }
  const scalars = values.length > 0 ? [scalarChoices(at, values, { position: base.position })] : []
  return { kind: 'union', exactlyOne: false, of: [...scalars, ...constants], ...whole }
}

type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function scalarChoices(
  at: Located,
  values: readonly Scalar[],
  base: SchemaBase,
  located: readonly Located[] = [],
): Schema {
  if (values.length === 0) return { kind: 'never', ...base }
  const unspecified = text(at, 'x-unspecified')
  const exact =
    located.length > 0 && isInt64(at) && values.every(Number.isInteger) ? exactTexts(values, located) : undefined
  return {
    kind: 'enum',
    values: [...new Set(values)],
    ...(exact && { exact }),
    ...(unspecified !== undefined && values.includes(unspecified) && { unspecified }),
    ...base,
  }
}

const isInt64 = (at: Located): boolean => typeOf(at) === 'integer' && text(at, 'format') === 'int64'

/** Returns the distinct decimal texts of integers, exact beyond 2^53. */
function exactTexts(values: readonly Scalar[], located: readonly Located[]): readonly string[] {
  const texts = located
    .filter(({ value }) => values.some(each => each === value))
    .map(each => exactText(each) ?? String(each.value))
  return [...new Set(texts)]
}
