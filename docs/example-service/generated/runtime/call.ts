// Copied by ninefold. Do not edit: generate writes it again.

import { atMost, bodyField, rawBytes, readBody } from './body.ts'
import { acceptable } from './choice.ts'
import { traceOf } from './context.ts'
import type { CallContext, Principal } from './context.ts'
import type { Doors } from './doors.ts'
import { ApiError, commonReasons, type ErrorDomain } from './errors.ts'
import { takeIfMatch, withEtag } from './etags.ts'
import { errorAnswer } from './status.ts'
import type { RenderError } from './status.ts'
import { setMember } from './json.ts'
import { charsetOf, defaultLimits, takes } from './media.ts'
import type { Chunks, Limits, RequestBody } from './media.ts'
import { cancelled, finish, toldError } from './outcome.ts'
import type { Call, LogEntry, Outcome, Served } from './outcome.ts'
import type { PageTokens } from './page-token.ts'
import { encodingFault, parameterReader } from './parameters/read.ts'
import { fieldInvalid } from './refusal.ts'
import { replyOf } from './reply.ts'
import type { BoundRoute, Route } from './route.ts'
import { buildRouter, pathTemplate } from './routing.ts'
import type { Match, Router } from './routing.ts'
import { Faults } from './validation.ts'
import type { Dispatch, WireAnswer } from './wire.ts'

/** The routes, the doors and the settings of a dispatcher. */
export interface DispatcherOptions {
  readonly routes: readonly BoundRoute[]
  readonly doors: Doors
  /** The signer of the page tokens of lists; required only if a route is a list. */
  readonly tokens?: PageTokens
  /** The clock: `now` returns milliseconds since 1970, and `newId` returns a new unique id. */
  readonly clock: { now(): number; newId(): string }
  /** The error domain of a call without a route: the area of the first segment of its path, otherwise `outside`. */
  readonly domains: { readonly outside: ErrorDomain; readonly areas?: readonly ErrorDomain[] }
  readonly limits?: Partial<Limits>
  /**
   * Logs a call. The dispatcher calls `log` once for every call, after the end of the stream if the answer is streamed.
   * `log` must not throw.
   */
  readonly log: (entry: LogEntry) => void
  /** Returns true for routes whose answers carry `Cache-Control: no-store`. */
  readonly noStore?: (route: Route<unknown, unknown>) => boolean
  /** The HTTP status for an undeclared content type, if it differs from the status of FIELD_INVALID. */
  readonly unsupportedMediaTypeStatus?: 415
  readonly renderError?: RenderError
}

/** The options with all limits. */
type Serving = DispatcherOptions & { readonly limits: Limits }

type Found = Extract<Match<Served>, { kind: 'found' }>

/**
 * Returns a dispatch that answers requests by the given routes. The order is: route, authentication, authorization, all
 * faults of the request together, handler (conventions §4). HEAD uses the route of GET; OPTIONS is answered with
 * `Allow`.
 */
export function dispatcher(options: DispatcherOptions): Dispatch {
  const router = buildRouter(options.routes.map(bound => serve(bound, options)))
  const serving = { ...options, limits: { ...defaultLimits, ...options.limits } }
  return async request => {
    const { traceId, traceparent } = traceOf(request.headers.traceparent)
    const call: Call = { request, requestId: options.clock.newId(), traceId, startMs: performance.now() }
    const outcome = await settle(call, answerCall(call, router, serving), options)
    const { headers } = outcome.answer
    headers['x-request-id'] = call.requestId
    headers.traceparent = traceparent
    if (call.served?.noStore) headers['cache-control'] = 'no-store'
    if (call.allow !== undefined) headers.allow = call.allow
    if (call.acceptEncoding !== undefined) headers['accept-encoding'] = call.acceptEncoding
    return finish(outcome.answer, call, outcome, options.log)
  }
}

function serve(bound: BoundRoute, { noStore }: DispatcherOptions): Served {
  const { access, domain, operationId, path, parameters = [], queryKeys } = bound.route
  const names = path.filter((_, index) => index % 2 === 1)
  return {
    ...bound,
    template: pathTemplate(path),
    operation: { area: domain.name, operationId, permission: access?.kind === 'permission' ? access.key : '' },
    read: parameterReader(parameters, names, queryKeys),
    noStore: noStore?.(bound.route) ?? false,
    offers: offersOf(bound.route),
  }
}

async function answerCall(call: Call, router: Router<Served>, options: Serving): Promise<WireAnswer> {
  const { limits } = options
  const { request } = call
  if (request.fault !== undefined) throw fieldInvalid([request.fault])
  if (request.target.length > limits.urlBytes) {
    throw fieldInvalid([{ field: 'url', description: `must have at most ${limits.urlBytes} bytes` }])
  }
  const [path, query] = splitTarget(request.target)
  const found = locate(call, router.match(request.method, path))
  if (found === undefined) return { status: 204, headers: {} }

  const { route, read, run } = found.bound
  const principal = await options.doors.authenticate(request, route.access)
  call.principalId = principal?.id
  const asked = contextOf(call, path, principal, options.clock.now())
  const { handedOn } = (await options.doors.authorize(asked, route, found)) ?? {}
  const context = handedOn === undefined ? asked : { ...asked, handedOn }

  requireAccept(call, found.bound)
  const faults = new Faults()
  const given = read({ path: found.raw, query, headers: request.headers }, faults)
  if (isMutation(route) && request.headers['idempotency-key'] !== context.idempotencyKey) {
    faults.add('Idempotency-Key', 'must be 1 to 128 visible ASCII characters')
  }
  // A caller that waits for `100 Continue` is not asked for a body that changes nothing.
  if (faults.count > 0 && route.body && /^100-continue$/i.test(request.headers.expect ?? '')) {
    throw fieldInvalid(faults.list)
  }
  const body = route.body && (await takeBody(call, route.body, faults, options))
  if (body !== undefined) setMember(given, bodyField, body)
  if (isChange(route)) takeIfMatch(request.headers['if-match'], route, given, faults)
  const deciding = options.doors.authorizeRequest?.(context, route, found, given)
  if (deciding !== undefined) await deciding
  const result = await run(given, faults, context, options.tokens)
  const plain = replyOf(route, result)
  const answer = route.etag === 'answer' ? withEtag(plain, result, request.headers['if-none-match']) : plain
  if (request.method !== 'HEAD' || !(answer.body instanceof ReadableStream)) return answer
  await answer.body.cancel()
  return { status: answer.status, headers: answer.headers }
}

/** Whether a route changes resources: its mode is `sync` or `async`. */
const isChange = ({ mode }: Served['route']): boolean => mode === 'sync' || mode === 'async'

/**
 * Whether a route uses the header `Idempotency-Key`. Public operations, and operations whose mode is neither `sync` nor
 * `async`, ignore the header (conventions §6).
 */
const isMutation = (route: Served['route']): boolean => isChange(route) && route.access?.kind !== 'public'

function contextOf(call: Call, path: string, principal: Principal | undefined, now: number): CallContext {
  const { request, requestId, traceId } = call
  const key = call.served && isMutation(call.served.route) ? request.headers['idempotency-key'] : undefined
  return {
    principal,
    operation: call.served?.operation,
    method: request.method,
    path,
    requestId,
    traceId,
    idempotencyKey: key !== undefined && /^[!-~]{1,128}$/.test(key) ? key : undefined,
    clientAddress: request.clientAddress,
    userAgent: request.headers['user-agent'],
    accept: request.headers.accept,
    signal: request.signal,
    now,
  }
}

async function takeBody(call: Call, declared: RequestBody, faults: Faults, options: Serving): Promise<unknown> {
  const { headers } = call.request
  const { maxBytes } = declared
  const body = maxBytes === undefined ? call.request.body : bounded(call, maxBytes)
  const sent = headers['content-type'] ?? (body === undefined ? declared.type : 'application/octet-stream')
  const limits = maxBytes === undefined ? options.limits : { ...options.limits, bodyBytes: maxBytes }
  const reading = { headers, limits, faults, refuse: fieldInvalid }
  if (body !== undefined && declared.kind !== rawBytes) requireIdentity(call, sent, faults)
  if (takes(declared, sent)) return readBody(body, declared, declared.required, reading)
  if (body === undefined) return undefined
  const types = [declared.type, ...(declared.aliases ?? [])]
  faults.add(bodyField, `must have the content type ${types.join(' or ')}`)
  call.errorStatus = options.unsupportedMediaTypeStatus
  return undefined
}

/** Throws 406 if the answer of a route with several media types can have none that the caller accepts. */
function requireAccept(call: Call, { offers }: Served): void {
  if (offers === undefined || acceptable(offers, call.request.headers.accept).length > 0) return
  call.errorStatus = 406
  throw fieldInvalid([{ field: 'Accept', description: `must accept ${offers.join(' or ')}` }])
}

/** Returns the media types of the successes of a route, if a handler chooses among several. */
function offersOf({ success }: BoundRoute['route']): readonly string[] | undefined {
  const offers = success.flatMap(({ kind = 'json', type = 'application/json' }) =>
    kind !== 'json' && kind.name === 'choice' ? kind.types : [type],
  )
  return success.some(({ kind = 'json' }) => kind !== 'json' && kind.name === 'choice') ? offers : undefined
}

/**
 * Throws 415 with all faults for a body that is compressed or in another charset than UTF-8. A handler of bytes reads
 * the headers itself.
 */
function requireIdentity(call: Call, type: string, faults: Faults): void {
  const { 'content-encoding': encoding = 'identity' } = call.request.headers
  if (encoding.toLowerCase() !== 'identity') {
    call.acceptEncoding = 'identity'
    faults.add('Content-Encoding', 'must be absent or identity: send the body without compression')
  }
  if (!/^utf-?8$/i.test(charsetOf(type))) faults.add('Content-Type', 'must have the charset utf-8')
  else if (call.acceptEncoding === undefined) return
  call.errorStatus = 415
  throw fieldInvalid(faults.list)
}

/**
 * Returns the body of a call, limited to `most` bytes. A longer body is refused by its declared length, otherwise once
 * `most` bytes are exceeded.
 */
function bounded(call: Call, most: number): Chunks | undefined {
  const { body, headers } = call.request
  const refusal = (): ApiError => {
    call.errorStatus = 413
    return fieldInvalid([{ field: bodyField, description: `must have at most ${most} bytes` }])
  }
  if (Number(headers['content-length'] ?? 0) > most) throw refusal()
  return body && atMost(body, most, refusal)
}

/** Splits a request target into path and query. Proxies may send `http://host/path` (RFC 9112 §3.2.2). */
export function splitTarget(target: string): [path: string, query: string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = local.indexOf('?')
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)]
}

function locate(call: Call, match: Match<Served>): Found | undefined {
  const { method } = call.request
  if (match.kind === 'found' || match.kind === 'malformed') call.served = match.bound
  if (match.kind === 'found') return match
  if (match.kind === 'malformed') {
    const { names, raw } = match
    throw fieldInvalid(names.map((field, index) => ({ field, description: encodingFault(raw[index] ?? '') })))
  }
  if (match.kind === 'none') throw new ApiError(commonReasons.ROUTE_NOT_FOUND, 'no operation has this path')
  call.allow = match.allowed.join(', ')
  if (method === 'OPTIONS') return undefined
  call.errorStatus = 405
  throw new ApiError(commonReasons.ROUTE_NOT_FOUND, `this path takes ${call.allow}, not ${method.slice(0, 80)}`)
}

async function settle(
  call: Call,
  attempt: Promise<WireAnswer>,
  { domains, renderError }: DispatcherOptions,
): Promise<Outcome & { readonly answer: WireAnswer }> {
  try {
    return { answer: await attempt }
  } catch (thrown) {
    if (call.request.signal.aborted) return { answer: { status: 499, headers: {} }, ...cancelled }
    const error = toldError(thrown, call.served?.route, call.traceId)
    const domain = call.served?.route.domain ?? domainOf(call.request.target, domains)
    const answer = errorAnswer(error, domain, renderError, error === thrown ? call.errorStatus : undefined)
    return { answer, code: error.rpc, reason: error.reason, ...(error !== thrown && { error: thrown }) }
  }
}

/** Returns the error domain of a request for `target` whose operation is unknown. */
export function domainOf(target: string, { outside, areas = [] }: DispatcherOptions['domains']): ErrorDomain {
  const [, area] = /^\/([^/?]*)/.exec(target.slice(0, 256)) ?? []
  return areas.find(({ name }) => name === area) ?? outside
}
