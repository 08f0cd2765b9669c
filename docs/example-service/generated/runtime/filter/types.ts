// Copied by ninefold. Do not edit: generate writes it again.

/** The types of FilterSchema (conventions §9), and NUMBER and DURATION, which documents of other platforms may use. */
export type FilterType =
  'STRING' | 'INTEGER' | 'BOOLEAN' | 'ENUM' | 'TIMESTAMP' | 'MAP' | 'PRESENCE' | 'NUMBER' | 'DURATION'

/** The comparators of AIP-160. */
export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':'

/** A field of `x-filter` by which a list can be filtered or sorted. */
export interface FilterField {
  /** The name in filters, usually the dotted path into the row; a MAP is named without its key. */
  readonly name: string
  /** The dotted path into the row, if it differs from the name: `tags.name` for the field `tags`. */
  readonly path?: string
  readonly type: FilterType
  /** The type of a MAP's values; absent: STRING. */
  readonly values?: FilterType
  /** Whether the field is a list of `type`. A list takes only `:`, which is true if an element equals the value. */
  readonly list?: true
  /** The allowed comparators; empty for a field that is only sorted by. */
  readonly operators: readonly Comparator[]
  readonly sortable?: true
  /** The values of an ENUM in their sort order, without the unspecified value. */
  readonly enumValues?: readonly string[]
}

/** A sort key of a row: TIMESTAMP as canonical text, ENUM as its name, unset as null. */
export type SortKey = string | number | boolean | null

/** A field of an order, with its direction. */
export interface SortField {
  readonly field: FilterField
  readonly descending: boolean
}

/** The fields of one list operation for filter and order. */
export interface ListFields {
  /** The name under which `getFilterSchema` finds these fields; absent for a list without a filter schema. */
  readonly resource?: string
  readonly fields: readonly FilterField[]
  /** The default order in the form of `order_by`, such as `create_time desc`. */
  readonly defaultOrder: string
  /** The member that breaks ties and is always the last sort key, ascending: `id`, or the row's natural key. */
  readonly key: string
}

/**
 * A value for comparison: STRING and ENUM as text, INTEGER as bigint, NUMBER as number, BOOLEAN as boolean, TIMESTAMP
 * as the text `YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ` (UTC, nine digits, so that it compares as text), DURATION as nanoseconds
 * in a bigint.
 */
export type FilterValue = string | bigint | number | boolean

/** A checked filter, which is evaluated in memory or compiled to SQL. */
export type Filter =
  | { readonly kind: 'and'; readonly terms: readonly Filter[] }
  | { readonly kind: 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | {
      readonly kind: 'compare'
      readonly field: FilterField
      /** The key of a MAP. */
      readonly key?: string | undefined
      /** The comparator. The check has replaced `:` by `=`, which on a list means "some element is equal". */
      readonly operator: Exclude<Comparator, ':'>
      readonly value: FilterValue
    }
  /** A string with wildcards: `pieces` are literal texts, with any characters between each two of them. */
  | {
      readonly kind: 'like'
      readonly field: FilterField
      readonly key?: string | undefined
      readonly pieces: readonly string[]
      readonly negated: boolean
    }
  /** `field:*`, or for a MAP `field.key:*`. */
  | { readonly kind: 'present'; readonly field: FilterField; readonly key?: string | undefined }
