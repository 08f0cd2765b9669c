import type { Schema } from './types.ts'

/**
 * Whether the line of a header can carry the values of a schema without JSON: scalars, and lists of scalars. `resolve`
 * follows references to the final schema.
 */
export function isLine(schema: Schema, resolve: (schema: Schema) => Schema): boolean {
  const of = resolve(schema)
  if (of.kind === 'union') return of.of.every(form => isLine(form, resolve))
  const item = of.kind === 'array' ? resolve(of.items) : of
  return item.kind !== 'object' && item.kind !== 'intersection' && item.kind !== 'array'
}
