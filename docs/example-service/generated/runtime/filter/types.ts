// Copied by ninefold. Do not edit: generate writes it again.

/** The types of FilterSchema (conventions §9), and two that foreign schemas may use. */
export type FilterType =
  'STRING' | 'INTEGER' | 'BOOLEAN' | 'ENUM' | 'TIMESTAMP' | 'MAP' | 'PRESENCE' | 'NUMBER' | 'DURATION'

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':'

/** One field that a list filters or sorts by: a row of lists.tsv, from `x-filter`. */
export interface FilterField {
  /** As filters name it, usually its dotted path into the row; a MAP is named without its key. */
  readonly name: string
  /** The dotted path into the row where it is not the name: `tags.name`, of the field `tags`. */
  readonly path?: string
  readonly type: FilterType
  /** Of a MAP: the type of its values; absent: STRING. */
  readonly values?: FilterType
  /** A list of `type`: takes `:` only, true when some element equals. */
  readonly list?: true
  /** Empty for fields that only sort. */
  readonly operators: readonly Comparator[]
  readonly sortable?: true
  /** The values in their sort order, without the unspecified one. */
  readonly enumValues?: readonly string[]
}

/** One sort key of a row: TIMESTAMP as canonical text, ENUM as its name, unset as null. */
export type SortKey = string | number | boolean | null

export interface SortField {
  readonly field: FilterField
  readonly descending: boolean
}

/** What one list operation can be filtered and sorted by. Built once by `listFields`, looked up by name. */
export interface ListFields {
  /** `{resource}` of the filter schema; absent: it has none. */
  readonly resource?: string
  readonly fields: readonly FilterField[]
  /** An `order_by` text, `create_time desc`. */
  readonly defaultOrder: string
  /** The member that breaks ties and is always the last sort key, ascending: `id`, or the row's natural key. */
  readonly key: string
}

/**
 * A value as compared: STRING and ENUM text, INTEGER bigint, NUMBER number, BOOLEAN boolean, TIMESTAMP the text
 * `YYYY-MM-DDTHH:MM:SS.nnnnnnnnnZ` (UTC, nine digits: compares as text), DURATION nanoseconds as bigint.
 */
export type FilterValue = string | bigint | number | boolean

/** A filter that was checked against fields: what is evaluated in memory and compiled to SQL. */
export type Filter =
  | { readonly kind: 'and'; readonly terms: readonly Filter[] }
  | { readonly kind: 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly term: Filter }
  | {
      readonly kind: 'compare'
      readonly field: FilterField
      /** The key of a MAP. */
      readonly key?: string | undefined
      /** `:` is gone: it became `=`, on a list "some element equals". */
      readonly operator: Exclude<Comparator, ':'>
      readonly value: FilterValue
    }
  /** A string with wildcards: `pieces` are literal texts, between each two of them any run of characters. */
  | {
      readonly kind: 'like'
      readonly field: FilterField
      readonly key?: string | undefined
      readonly pieces: readonly string[]
      readonly negated: boolean
    }
  /** `field:*`, or for a MAP `field.key:*`. */
  | { readonly kind: 'present'; readonly field: FilterField; readonly key?: string | undefined }
