import type { ListFields } from '../../../runtime/filter/types.ts'

/** Returns the fields of a list without those that are derived on reading, for which a table has no column. */
export const storedFields = (list: ListFields, derived: readonly string[]): ListFields => ({
  ...list,
  fields: list.fields.filter(({ name }) => !derived.includes(name)),
})
