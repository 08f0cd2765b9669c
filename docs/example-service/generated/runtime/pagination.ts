// Copied by ninefold. Do not edit: generate writes it again.

import { checkFilter } from './filter/check.ts'
import { matches } from './filter/evaluate.ts'
import type { Filter, ListFields, SortField, SortKey } from './filter/types.ts'
import { ApiError, type FieldViolation } from './errors.ts'
import type { Answer } from './json.ts'
import { checkOrder, compareKeys, sortKeys } from './ordering.ts'
import type { PageTokens } from './page-token.ts'
import { refusal } from './refusal.ts'

const defaultSize = 20
const maxSize = 100

/** The parameters of every list operation, for routes. */
export const listParameters = [
  { name: 'page_size', in: 'query', type: 'integer' },
  { name: 'page_token', in: 'query', type: 'string' },
  { name: 'filter', in: 'query', type: 'string' },
  { name: 'order_by', in: 'query', type: 'string' },
] as const

/** The values of `listParameters` in a request. */
export interface ListParameters {
  readonly page_size?: number
  readonly page_token?: string
  readonly filter?: string
  readonly order_by?: string
}

/** The parsed and checked parameters of a list call. */
export interface ListQuery {
  /** The maximal number of rows of the page, 1 to 100. */
  readonly size: number
  /** The checked filter; undefined if every row matches. */
  readonly filter: Filter | undefined
  /** The order of the rows: at least one field, the last of which is the key of the rows. */
  readonly order: readonly SortField[]
  /** The sort keys of the previous page's last row, in the order of `order`; undefined for the first page. */
  readonly after: readonly SortKey[] | undefined
  /** The time of the call in milliseconds since 1970, for fields that depend on the time. */
  readonly now: number
  /** The texts of `filter` and `order_by` that the caller sent; a page token is valid for equal texts only. */
  readonly sent?: { readonly filter: string; readonly orderBy: string }
}

/** A page of a list. `next` has the sort keys of its last row if more rows follow. */
export interface Page<T> {
  readonly items: readonly Answer<T>[]
  readonly next?: readonly SortKey[]
}

/** A page whose answer has further members. `others` has these members, such as `{ common_prefixes: [] }`. */
export interface PageWith<T, Others> extends Page<T> {
  readonly others: Others
}

/**
 * Parses the parameters of a list call (conventions §8): a page size of 0 or none is 20, a size above 100 is 100.
 * `scope` is the rest of the call in one form: path and other query parameters, or the body without its token. Throws
 * the first of `ApiError` FIELD_INVALID, FILTER_INVALID, ORDER_BY_INVALID or PAGE_TOKEN_INVALID, with the violations of
 * all parameters.
 */
export function listQuery(
  parameters: ListParameters,
  fields: ListFields,
  tokens: PageTokens,
  scope: string,
  now: number,
): ListQuery {
  const { filter = '', order_by: orderBy = '', page_token: token = '' } = parameters
  try {
    const query = {
      size: pageSize(parameters.page_size ?? 0),
      filter: checkFilter(filter, fields),
      order: checkOrder(orderBy, fields),
      after: undefined,
      now,
      sent: { filter, orderBy },
    }
    return token === '' ? query : { ...query, after: tokens.open(tokenScope(scope, query), token) }
  } catch (error) {
    throw withFaultsOf(error, [
      () => pageSize(parameters.page_size ?? 0),
      () => checkFilter(filter, fields),
      () => checkOrder(orderBy, fields),
      // A call with an invalid parameter has produced no token, so the token is of another call.
      () => token === '' || tokens.open('', token),
    ])
  }
}

/**
 * Returns an error about fields of a request with the violations that the readers throw, each field once; returns any
 * other value unchanged.
 */
export function withFaultsOf(error: unknown, readers: readonly (() => unknown)[]): unknown {
  if (!(error instanceof ApiError) || !error.details.badRequest) return error
  const { details, message, metadata } = error
  const badRequest = [...error.details.badRequest]
  for (const { field, description } of readers.flatMap(violationsOf)) {
    if (!badRequest.some(known => known.field === field)) badRequest.push({ field, description })
  }
  return new ApiError(error, message, metadata, { ...details, badRequest })
}

function violationsOf(read: () => unknown): readonly FieldViolation[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ApiError) return error.details.badRequest ?? []
    throw error
  }
}

/**
 * Returns the `next_page_token` after the row with these sort keys; an empty text on the last page, for which the sort
 * keys are undefined.
 */
export function nextToken(
  tokens: PageTokens,
  scope: string,
  query: ListQuery,
  keys: readonly SortKey[] | undefined,
): string {
  return keys === undefined ? '' : tokens.sign(tokenScope(scope, query), keys)
}

/**
 * Returns one page of given rows, for small computed lists: filtered, sorted and cut. The list's key is unique among
 * the rows.
 */
export function listInMemory<T extends object>(rows: Iterable<T>, query: ListQuery): Page<T> {
  const { filter, order, after, size } = query
  const found: { readonly row: T; readonly keys: readonly SortKey[] }[] = []
  for (const row of rows) {
    if (filter && !matches(filter, row)) continue
    const keys = sortKeys(order, row)
    if (!after || compareKeys(order, keys, after) > 0) found.push({ row, keys })
  }
  found.sort((a, b) => compareKeys(order, a.keys, b.keys))
  const items = found.slice(0, size).map(({ row }) => row)
  const last = found.length > size ? found[size - 1] : undefined
  return last ? { items, next: last.keys } : { items }
}

function pageSize(given: number): number {
  if (Number.isInteger(given) && given >= 0) return given === 0 ? defaultSize : Math.min(given, maxSize)
  throw refusal('FIELD_INVALID', 'page_size', 'must be an integer from 0 on')
}

/**
 * Returns the scope of a page token. The scope contains the parsed order in addition to its text, because a default
 * order may change while tokens are in use.
 */
function tokenScope(scope: string, { size, order, sent }: ListQuery): string {
  const by = order.map(({ field, descending }) => [field.name, descending])
  return JSON.stringify([scope, size, sent?.filter, sent?.orderBy, by])
}
