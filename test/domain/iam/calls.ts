import { createHmac } from 'node:crypto'
import type { CallContext, ListContext } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { ListFields } from '../../../runtime/filter/types.ts'
import { JsonText } from '../../../runtime/json.ts'
import { pageTokens } from '../../../runtime/page-token.ts'
import { listQuery, nextToken, type ListParameters, type Page } from '../../../runtime/pagination.ts'

/** Makes the context of a call, by default of an anonymous caller. */
export const callContext = (now: number, given: Partial<CallContext> = {}): CallContext => ({
  principal: undefined,
  operation: { area: 'iam', operationId: 'test', permission: '' },
  method: 'POST',
  path: '/iam/v1/test',
  requestId: 'request',
  traceId: '0'.repeat(31) + '1',
  idempotencyKey: undefined,
  clientAddress: '192.0.2.1',
  userAgent: 'test/1',
  signal: new AbortController().signal,
  now,
  ...given,
})

/** Page tokens with a fixed key. */
export const tokens = pageTokens(text => createHmac('sha256', 'test').update(text).digest('binary'))

/** Makes the context of a list call. */
export const listing = (context: CallContext, fields: ListFields, parameters: ListParameters = {}): ListContext => ({
  ...context,
  query: listQuery(parameters, fields, tokens, 'test', context.now),
})

/** Reads a list page by page; returns all its rows in the order of the list. */
export async function allOf<T>(
  list: (context: ListContext) => Promise<Page<T>>,
  context: CallContext,
  fields: ListFields,
  parameters: ListParameters = {},
): Promise<T[]> {
  const rows: T[] = []
  let page_token = ''
  do {
    const called = listing(context, fields, { ...parameters, page_token })
    const page = await list(called)
    for (const item of page.items) rows.push(item instanceof JsonText ? JSON.parse(item.text) : item)
    page_token = nextToken(tokens, 'test', called.query, page.next)
  } while (page_token !== '')
  return rows
}

/** Returns the error with which a call is refused; throws if the call succeeds or fails otherwise. */
export async function refused(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ApiError) return error
  throw new Error('the call was not refused', { cause: error })
}
