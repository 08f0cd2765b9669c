import { isRecord } from '../../runtime/validation.ts'
import { sharedWhere, type Collection, type Reader, type Where } from '../ports/store.ts'

/**
 * Throws the error of the first unique set of a collection whose values an existing row has. Two transactions may pass
 * at the same time; the store then refuses the later insertion with the same error.
 */
export async function requireUnique<T>(reader: Reader, collection: Collection<T>, row: T): Promise<void> {
  for (const { fields, taken } of collection.uniques ?? []) {
    const values = fields.map(field => [field, columnOf(row, field)] as const)
    // A set with an unset value is unique in itself.
    if (values.some(([, value]) => value === undefined)) continue
    const where: Where = Object.fromEntries(values)
    if (await reader.exists(collection, sharedWhere(collection, where))) throw taken(row)
  }
}

/** Returns the scalar at a dotted path; undefined if the member is not set. */
function columnOf(row: unknown, path: string): string | number | boolean | undefined {
  const value = path.split('.').reduce((part, name) => (isRecord(part) ? part[name] : undefined), row)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}
