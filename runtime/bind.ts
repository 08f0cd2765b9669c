import type { CallContext, ListContext } from './context.ts'
import type { FieldViolation } from './errors.ts'
import { checkMask, missingIn } from './field-mask.ts'
import { addFormFaults, type FormRule, type FormRules } from './form-rules.ts'
import { JsonText } from './json.ts'
import type { Answer } from './json.ts'
import { listParameters, listQuery, nextToken, withFaultsOf } from './pagination.ts'
import type { ListParameters, ListQuery, Page, PageWith } from './pagination.ts'
import { fieldInvalid } from './refusal.ts'
import type { BoundRoute, ClientRoute, Route, Rules } from './route.ts'
import { canonical, isRecord, own } from './validation.ts'
import type { Faults } from './validation.ts'
import type { Parameter } from './parameters/types.ts'

type Handler<Given, Result> = (request: Given, context: CallContext) => Promise<Answer<Result>>
type ListHandler<Given> = (request: Given, context: ListContext) => Promise<Page<unknown> | PageWith<unknown, object>>

/** The arguments of a complete route: the route and its handler. */
type Whole<Sent, Result, Given extends Sent, Handler> = [Route<Sent, Result, Given>, Handler, rules?: undefined]
/** The arguments of a client route: the route, its handler, and the server's rules for the route. */
type Split<Sent, Result, Given extends Sent, Handler> = [ClientRoute<Sent, Result, Given>, Handler, Rules<Sent, Given>]
type Either<Sent, Handler> = Whole<Sent, unknown, Sent, Handler> | Split<Sent, unknown, Sent, Handler>

/**
 * Joins an operation and its handler: a request is checked and completed before the handler gets the request. The
 * overloads avoid an inference from the union of both kinds of arguments, which would take a quarter of the type check
 * of a large output.
 */
export function bind<Sent, Result, Given extends Sent>(
  ...given: Split<Sent, Result, Given, Handler<Given, Result>>
): BoundRoute
export function bind<Sent, Result, Given extends Sent>(
  ...given: Whole<Sent, Result, Given, Handler<Given, Result>>
): BoundRoute
export function bind(...[shared, handler, rules]: Either<unknown, Handler<unknown, unknown>>): BoundRoute {
  const route = rules ? { ...shared, ...rules } : shared
  const run: BoundRoute['run'] = async (request, faults, context, _tokens, rules) =>
    handler(accept(route, request, faults, { rules, now: context.now }), context)
  return { route, run }
}

/** Returns the routes of an area, whose requests are also checked by the rules of the area. */
export const ruled = (routes: readonly BoundRoute[], forms: FormRules): readonly BoundRoute[] =>
  routes.map(({ route, run }) => {
    const rules = forms[route.operationId]
    return { route, run: (request, faults, context, tokens) => run(request, faults, context, tokens, rules) }
  })

/**
 * Joins a list operation of `x-filter` and its handler, as `bind` does. The handler finds the parsed parameters in
 * `context.query`. The page of the handler becomes `{"<member>": [...], "next_page_token": "..."}` (conventions §8);
 * further members of the answer stand before `next_page_token`. Rows that are JSON text are joined without parsing.
 * Throws `Error` for a route without `list`.
 */
export function bindList<Sent extends ListParameters, Result, Given extends Sent>(
  ...given: Split<Sent, Result, Given, ListHandler<Given>>
): BoundRoute
export function bindList<Sent extends ListParameters, Result, Given extends Sent>(
  ...given: Whole<Sent, Result, Given, ListHandler<Given>>
): BoundRoute
export function bindList(...[shared, handler, rules]: Either<ListParameters, ListHandler<ListParameters>>): BoundRoute {
  const route = rules ? { ...shared, ...rules } : shared
  const { list, operationId } = route
  if (list === undefined) throw new Error(`operation "${operationId}" is no list`)
  const scopeOf = scoping(route.parameters ?? [])
  const run: BoundRoute['run'] = async (request, faults, context, tokens) => {
    if (tokens === undefined) throw new Error(`list "${operationId}" needs page tokens`)
    const scope = `${context.path}?${scopeOf(request)}`
    const queryOf = (given: ListParameters): ListQuery => listQuery(given, list.fields, tokens, scope, context.now)
    const given = acceptList(route, request, faults, queryOf)
    const query = queryOf(given)
    const page = await handler(given, { ...context, query })
    const token = nextToken(tokens, scope, query, page.next)
    const { kind = 'json' } = route.success[0]
    if (kind === 'json') return pageText(list.member, page, token)
    // Rows with 64-bit integers need the codec of the answer, which also writes rows that are JSON text.
    return { [list.member]: page.items, ...('others' in page ? page.others : {}), next_page_token: token }
  }
  return { route: untyped(route), run }
}

/**
 * Returns a function that prints the query parameters of a request other than the parameters of every list. A page
 * token is valid for equal values only.
 */
function scoping(parameters: readonly Parameter[]): (request: unknown) => string {
  const ofLists = new Set<string>(listParameters.map(({ name }) => name))
  const others = parameters
    .filter(({ name, in: place }) => place === 'query' && !ofLists.has(name))
    .map(({ name, member }) => member ?? name)
  return request => canonical(others.map(name => (isRecord(request) ? own(request, name) : undefined)))
}

/**
 * Returns the route under a type without `complete`, the only member that needs a typed request. `run` calls `complete`
 * itself.
 */
function untyped(route: Omit<Route<unknown, unknown>, 'complete'>): Route<unknown, unknown> {
  return route
}

/** The rules of the area for the body of a request, and the time of the request. */
interface Form {
  readonly rules: readonly FormRule[] | undefined
  readonly now: number
}

/**
 * Returns a request with its defaults. Throws FIELD_INVALID with all faults of the schema, of the members that a mask
 * needs, and of the rules of the area; then UPDATE_MASK_INVALID.
 */
function accept<Sent>(route: Route<Sent, unknown>, request: unknown, faults: Faults, form?: Form): Sent {
  const unread = faults.list.length
  const isFit = route.check(request, faults)
  const checkPaths = addLaterFaults(route, request, faults, form)
  if (!isFit || faults.count > 0) throw fieldInvalid(eachOnce(faults, unread))
  checkPaths?.()
  return route.complete?.(request) ?? request
}

/**
 * Adds the faults that the check of the schema does not find. Returns a function that throws UPDATE_MASK_INVALID;
 * undefined if the route has no mask.
 */
function addLaterFaults(
  { fields, masked }: Pick<Rules<unknown>, 'fields' | 'masked'>,
  request: unknown,
  faults: Faults,
  form: Form | undefined,
): (() => void) | undefined {
  if (!isRecord(request)) return undefined
  const body = own(request, 'body')
  const holder = masked === undefined ? request : body
  let checkPaths: (() => void) | undefined
  if (fields !== undefined && isRecord(holder)) {
    const mask = own(holder, 'update_mask')
    const resource = own(holder, masked ?? 'body')
    const text = typeof mask === 'string' ? mask : undefined
    checkPaths = () => checkMask(text, fields)
    const isReadable = text === mask && isRecord(resource)
    const missing = isReadable ? missingIn(text, fields, resource, masked) : []
    // The schema has reported a member that is null.
    const known = new Set(faults.list.map(({ field }) => field))
    for (const { field, description } of missing) if (!known.has(field)) faults.add(field, description)
  }
  if (form?.rules && isRecord(body)) addFormFaults(form.rules, body, form.now, faults)
  return checkPaths
}

/**
 * Returns the faults with each field once, if a reader or the check before has reported the field: a field that cannot
 * be read, such as a number with letters, is absent for the check.
 */
function eachOnce({ list }: Faults, unread: number): readonly FieldViolation[] {
  const known = new Set(list.slice(0, unread).map(({ field }) => field))
  return [...list.slice(0, unread), ...list.slice(unread).filter(({ field }) => !known.has(field))]
}

/** Accepts the request of a list. The error of an invalid request also has the faults of the list parameters. */
function acceptList<Sent extends ListParameters>(
  route: Route<Sent, unknown>,
  request: unknown,
  faults: Faults,
  queryOf: (given: ListParameters) => unknown,
): Sent {
  try {
    return accept(route, request, faults)
  } catch (error) {
    const { filter, order_by, page_size, page_token } = isRecord(request) ? request : {}
    const given = {
      ...(typeof page_size === 'number' && { page_size }),
      ...(typeof filter === 'string' && { filter }),
      ...(typeof order_by === 'string' && { order_by }),
      ...(typeof page_token === 'string' && { page_token }),
    }
    throw withFaultsOf(error, [() => queryOf(given)])
  }
}

function pageText(member: string, page: Page<unknown> | PageWith<unknown, object>, token: string): JsonText<unknown> {
  // Engines copy the characters of a sum once, when the answer is sent; `join` would copy them once more.
  let rows = ''
  for (const item of page.items) {
    if (rows !== '') rows += ','
    rows += item instanceof JsonText ? item.text : JSON.stringify(item)
  }
  const rest = JSON.stringify({ ...('others' in page ? page.others : {}), next_page_token: token })
  return new JsonText(`{${JSON.stringify(member)}:[${rows}],${rest.slice(1)}`)
}
