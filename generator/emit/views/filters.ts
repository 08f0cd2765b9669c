import type { Literal, Name, Words } from './code.ts'

/** `filters.hbs` makes filters.ts: what lists are filtered and sorted by. */
export interface FiltersView {
  readonly title: Words
  /** `taxonomyFilters`. */
  readonly name: Name
  readonly lists: readonly FilteredList[]
  /** The constants of the lists that have a resource, ordered by it. */
  readonly byResource: readonly Name[]
  /** A type of the runtime. */
  readonly ListFields: Name
}

/** A list operation's fields. */
export interface FilteredList {
  /** `listQuotas`. */
  readonly operation: Name
  /** `quotasList`. */
  readonly name: Name
  /** The resource that its fields are published under, or ''. */
  readonly resource: Literal | ''
  readonly fields: readonly FilteredField[]
  readonly defaultOrder: Literal
  /** The member that tells rows apart. */
  readonly key: Literal
}

/** A field of `x-filter`; '' stands for what it does not say. */
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
