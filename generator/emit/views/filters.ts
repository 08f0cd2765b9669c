import type { Literal, Name, Words } from './code.ts'

/** The view of `filters.hbs`, which makes filters.ts: the filter and sort fields of each list. */
export interface FiltersView {
  readonly title: Words
  /** The constant with all lists: `taxonomyFilters`. */
  readonly name: Name
  readonly lists: readonly FilteredList[]
  /** The constants of the lists that have a resource, ordered by resource. */
  readonly byResource: readonly Name[]
  /** The runtime's type of a list's fields. */
  readonly ListFields: Name
}

/** The filter and sort fields of a list operation. */
export interface FilteredList {
  /** The name of the operation: `listQuotas`. */
  readonly operation: Name
  /** The constant: `quotasList`. */
  readonly name: Name
  /** The `schema` of `x-filter`: the `{resource}` under which the fields are published; '' without `schema`. */
  readonly resource: Literal | ''
  readonly fields: readonly FilteredField[]
  readonly defaultOrder: Literal
  /** The member that identifies a row. */
  readonly key: Literal
}

/** A field of `x-filter`; a text is '' if `x-filter` does not declare the text. */
export interface FilteredField {
  readonly name: Literal
  readonly path: Literal | ''
  readonly type: Literal
  readonly values: Literal | ''
  readonly isList: boolean
  readonly operators: Literal
  readonly isSortable: boolean
  readonly enumValues: Literal | ''
}
