// Copied by ninefold. Do not edit: generate writes it again.

import type { CallContext, ListContext } from './context.ts'
import { ApiError, commonReasons } from './errors.ts'
import { checkMask } from './field-mask.ts'
import { JsonText } from './json.ts'
import type { Answer } from './json.ts'
import { listParameters, listQuery, nextToken } from './pagination.ts'
import type { ListParameters, Page, PageWith } from './pagination.ts'
import type { BoundRoute, ClientRoute, Parameter, Route, Rules } from './route.ts'
import { isRecord, own } from './validation.ts'
import type { Faults } from './validation.ts'

type Handler<Given, Context, Answered> = (request: Given, context: Context) => Promise<Answered>

/** A whole route and its handler, or a route of clients, its handler, and the rules that make it whole. */
type Binding<Request, Result, Given extends Request, Handler> =
  | [route: Route<Request, Result, Given>, handler: Handler, rules?: undefined]
  | [route: ClientRoute<Request, Result, Given>, handler: Handler, rules: Rules<Request, Given>]

/** Joins an operation and its handler: a request is checked and completed before the handler sees it. */
export function bind<Request, Result, Given extends Request>(
  ...[shared, handler, rules]: Binding<Request, Result, Given, Handler<Given, CallContext, Answer<Result>>>
): BoundRoute {
  const route = rules ? { ...shared, ...rules } : shared
  return {
    route: untyped(route),
    run: async (request, faults, context) => handler(accept(route, request, faults), context),
  }
}

/**
 * As `bind`, for a list of `x-filter`. The handler finds its parameters parsed in `context.query`; the page it gives
 * becomes `{"<member>": [...], "next_page_token": "..."}` (conventions §8), rows that are text joined unparsed, and what
 * else its answer has behind them.
 */
export function bindList<Request extends ListParameters, Result, Given extends Request, Row>(
  ...[shared, handler, rules]: Binding<
    Request,
    Result,
    Given,
    Handler<Given, ListContext, Page<Row> | PageWith<Row, object>>
  >
): BoundRoute {
  const route = rules ? { ...shared, ...rules } : shared
  const { list, operationId } = route
  if (list === undefined) throw new Error(`operation "${operationId}" is no list`)
  const scopeOf = scoping(route.parameters ?? [])
  const run: BoundRoute['run'] = async (request, faults, context, tokens) => {
    const given = accept(route, request, faults)
    if (tokens === undefined) throw new Error(`list "${operationId}" needs page tokens`)
    const scope = `${context.path}?${scopeOf(request)}`
    const query = listQuery(given, list.fields, tokens, scope, context.now)
    const page = await handler(given, { ...context, query })
    return pageText(list.member, page, nextToken(tokens, scope, query, page.next))
  }
  return { route: untyped(route), run }
}

/** What a page token holds for beside the path and the parameters of every list. */
function scoping(parameters: readonly Parameter[]): (request: unknown) => string {
  const ofLists = new Set<string>(listParameters.map(({ name }) => name))
  const others = parameters
    .filter(({ name, in: place }) => place === 'query' && !ofLists.has(name))
    .map(({ name, member }) => member ?? name)
  return request => JSON.stringify(others.map(name => (isRecord(request) ? own(request, name) : undefined)))
}

/** `complete` is the one member that asks for a typed request; `run` has called it already. */
function untyped(route: Omit<Route<unknown, unknown>, 'complete'>): Route<unknown, unknown> {
  return route
}

function accept<Request, Given extends Request>(
  route: Route<Request, unknown, Given>,
  request: unknown,
  faults: Faults,
): Given {
  const unread = [...faults.list]
  if (!route.check(request, faults) || faults.count > 0) {
    // A field that could not be read is absent for the check too: it was named already.
    const found = faults.list.slice(unread.length).filter(({ field }) => !unread.some(known => known.field === field))
    throw fieldInvalid([...unread, ...found])
  }
  const { fields, masked } = route
  const holder = masked === undefined || !isRecord(request) ? request : request.body
  if (fields !== undefined && isRecord(holder)) {
    const body = own(holder, masked ?? 'body')
    const { update_mask: mask } = holder
    checkMask(typeof mask === 'string' ? mask : undefined, fields, isRecord(body) ? body : {}, masked)
  }
  // Where there is nothing to complete, `Given` is `Request`, which the check has proved; bytes are a stream by then.
  return route.complete?.(request) ?? (request as Given)
}

/** FIELD_INVALID with all faults of a request. */
export function fieldInvalid(faults: Faults['list']): ApiError<'FIELD_INVALID'> {
  const violations = faults.map(fault => (fault.field === '' ? { ...fault, field: 'body' } : fault))
  const [first] = violations
  const others = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  const message = first === undefined ? 'the request is invalid' : `${first.field} ${first.description}${others}`
  return new ApiError(commonReasons.FIELD_INVALID, message.trim(), {}, { badRequest: violations })
}

function pageText(member: string, page: Page<unknown> | PageWith<unknown, object>, token: string): JsonText<unknown> {
  const rows = page.items.map(item => (item instanceof JsonText ? item.text : JSON.stringify(item)))
  const rest = JSON.stringify({ ...('others' in page ? page.others : {}), next_page_token: token })
  return new JsonText(`{${JSON.stringify(member)}:[${rows.join(',')}],${rest.slice(1)}`)
}
