import type { NamedSchema } from '../model/types.ts'
import { camel } from './names.ts'

/** A pattern, and the name of the constant for it. */
export interface PatternName {
  readonly pattern: string
  readonly name: string
}

/**
 * Returns the names of the patterns that named schemas declare: `skuPattern` for the `pattern` of `Sku`, and
 * `labelsKeyPattern` for the `x-key-pattern` of `Labels`. If a pattern has several names, members of objects use the
 * first name. Strings come before maps, because a pattern is the main content of a named string. Patterns of members,
 * items and map values have no names in this list.
 */
export function patternNames(schemas: readonly NamedSchema[]): readonly PatternName[] {
  const texts = schemas.flatMap(({ name, schema }) =>
    schema.kind === 'string' && schema.pattern !== undefined
      ? [{ pattern: schema.pattern, name: `${camel(name)}Pattern` }]
      : [],
  )
  const maps = schemas.flatMap(({ name, schema }) =>
    schema.kind === 'object' && schema.keyPattern !== undefined
      ? [{ pattern: schema.keyPattern, name: `${camel(name)}KeyPattern` }]
      : [],
  )
  return [...texts, ...maps]
}
