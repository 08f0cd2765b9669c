// Copied by ninefold. Do not edit: generate writes it again.

import { compareValues, fieldsByName, madeOnce, pathOf, valueAs } from './filter/fields.ts'
import type { FilterField, ListFields, SortField, SortKey } from './filter/types.ts'
import { didYouMean, quoted, refusal, unusualBlank } from './refusal.ts'
import { isRecord, own } from './validation.ts'

const defaultOrder = /* @__PURE__ */ madeOnce((list: ListFields) =>
  orderOf(parseOrder(list.defaultOrder), list, list.key),
)

/**
 * Returns the order of a list call (conventions §8): the order in `text`, or the list's default, and the key of the
 * rows as the last tie-breaker. Throws `ApiError` ORDER_BY_INVALID.
 */
export function checkOrder(text: string | undefined, list: ListFields): readonly SortField[] {
  const items = parseOrder(text ?? '')
  return items.length > 0 ? orderOf(items, list) : defaultOrder(list)
}

/** Parses an `order_by` (AIP-132); an empty text has no items. Throws `ApiError` ORDER_BY_INVALID. */
export function parseOrder(text: string): readonly { readonly path: string; readonly descending: boolean }[] {
  if (/^ *$/.test(text)) return []
  const unusual = unusualBlank(text)
  if (unusual) throw invalid(`${unusual.name} is no space; write an ordinary space (position ${unusual.at})`)
  const items = text.split(',').map(item => {
    const [path = '', direction = 'asc', ...rest] = item.split(' ').filter(word => word !== '')
    if (path === '') throw invalid('a field is missing beside a comma')
    if (!/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(path)) throw invalid(`${quoted(path)} is no field name`)
    if (rest.length > 0 || !/^(?:asc|desc)$/.test(direction))
      throw invalid(`${quoted(item.trim())}: only asc or desc may follow a field`)
    return { path, descending: direction === 'desc' }
  })
  if (new Set(items.map(item => item.path)).size < items.length) throw invalid('a field is named twice')
  return items
}

/**
 * Returns the order of the items up to the key of the rows, or with the key added: items after the key have no effect.
 * The path `free` need not be a sortable field.
 */
function orderOf(items: ReturnType<typeof parseOrder>, list: ListFields, free?: string): readonly SortField[] {
  const key = fieldsByName(list).get(list.key) ?? { name: list.key, type: 'STRING', operators: [] }
  const order = items.map(({ path, descending }) => {
    return { field: path === free ? key : sortable(path, list), descending }
  })
  const at = order.findIndex(({ field }) => field.name === list.key)
  return at < 0 ? [...order, { field: key, descending: false }] : order.slice(0, at + 1)
}

function sortable(path: string, list: ListFields): FilterField {
  const field = fieldsByName(list).get(path)
  if (field?.sortable) return field
  const names = list.fields.filter(other => other.sortable).map(other => other.name)
  if (field) throw invalid(`cannot sort by ${quoted(path)}; use ${names.join(', ')}`)
  throw invalid(`unknown field ${quoted(path)}${didYouMean(path, names)}`)
}

/** Returns the sort keys of a row, in the order of `order`. */
export function sortKeys(order: readonly SortField[], row: unknown): readonly SortKey[] {
  return order.map(({ field }) => sortKey(field, row))
}

/**
 * Returns the sort key of a field: an absent text is `""` and an absent boolean false. Any other unset field, and a
 * field of an unset object, is null.
 */
export function sortKey(field: FilterField, row: unknown): SortKey {
  let member = row
  for (const name of pathOf(field)) {
    if (!isRecord(member)) return null
    member = own(member, name)
  }
  if ((member ?? undefined) === undefined && (field.type === 'INTEGER' || field.type === 'NUMBER')) return null
  const value = valueAs[field.type](member ?? undefined)
  if (typeof value === 'bigint') return Number(value)
  return field.type === 'ENUM' && isUnsetEnum(field, value) ? null : value
}

/** Whether a value of an enum stands for no value: the empty text, and the unspecified value. */
function isUnsetEnum({ enumValues }: FilterField, value: unknown): boolean {
  return value === '' || enumValues?.includes(String(value)) === false
}

/** Compares two rows: negative if `a` comes first, 0 only for rows with the same key. */
export function compareRows(order: readonly SortField[], a: unknown, b: unknown): number {
  return compareKeys(order, sortKeys(order, a), sortKeys(order, b))
}

/**
 * Compares two rows by their sort keys. Ascending order puts unset values first, enum values in their declared order,
 * and false before true.
 */
export function compareKeys(order: readonly SortField[], a: readonly SortKey[], b: readonly SortKey[]): number {
  let i = 0
  for (const { field, descending } of order) {
    const difference = compareKey(field, a[i] ?? null, b[i] ?? null)
    if (difference !== 0) return descending ? -difference : difference
    i += 1
  }
  return 0
}

function compareKey({ type, enumValues }: FilterField, a: SortKey, b: SortKey): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null)
  if (type !== 'ENUM' || !enumValues) return compareValues(a, b)
  return enumValues.indexOf(String(a)) - enumValues.indexOf(String(b))
}

function invalid(description: string): Error {
  return refusal('ORDER_BY_INVALID', 'order_by', description)
}
