import type { Schema } from '../../model/types.ts'
import type { EmitOptions, Int64 } from '../../options.ts'

/**
 * Returns the form in which generated code holds the values of a schema, if they are integers of the format `int64` and
 * not held as numbers.
 */
export function heldAs(
  schema: Schema,
  { options: { int64 } }: { readonly options: Pick<EmitOptions, 'int64'> },
): Int64 | undefined {
  if (schema.kind === 'number') return schema.integer && schema.format === 'int64' ? int64 : undefined
  return schema.kind === 'enum' && schema.exact ? int64 : undefined
}
