import type { ListFields } from '../../../runtime/filter/types.ts'

/** Returns the fields of a list without the fields `derived`, which are computed at each read and have no column. */
export const storedFields = (list: ListFields, derived: readonly string[]): ListFields => ({
  ...list,
  fields: list.fields.filter(({ name }) => !derived.includes(name)),
})
