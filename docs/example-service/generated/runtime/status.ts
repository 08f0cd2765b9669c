// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, rpcCodes, type ErrorDomain } from './errors.ts'
import type { ErrorDetails, RpcCode } from './errors.ts'
import { isRecord } from './validation.ts'
import type { WireAnswer } from './wire.ts'

/** The codes for HTTP statuses that several codes have, or that no code has, keyed by status. */
const httpCodes: Readonly<Record<number, RpcCode>> = {
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
}

// The type lists exactly the names of the constant table.
const names = /* @__PURE__ */ Object.keys(rpcCodes) as RpcCode[]

/** Returns the code with this number or name; undefined for an unknown number or name. */
export const rpcOf = (said: unknown): RpcCode | undefined =>
  names.find((name, index) => name === said || index + 1 === said)

/** Returns the code for an HTTP status, for an answer whose body has no code. */
export const rpcOfHttp = (status: number): RpcCode =>
  httpCodes[status] ??
  names.find(name => rpcCodes[name] === status) ??
  (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')

/**
 * Returns the error of an error answer from its google.rpc.Status, as `toStatus` writes it or wrapped in `error`
 * (AIP-193). Any other body gives the reason `HTTP_<status>`. Never throws, whatever `body` is; the body is kept in
 * `response`. `now` is the time in milliseconds since 1970, for a `Retry-After` with a date.
 */
export function fromStatus(answer: Pick<Response, 'status' | 'headers'>, body: unknown, now = Date.now()): ApiError {
  const { status: http, headers } = answer
  const outer = record(body)
  const status = isRecord(outer.error) ? outer.error : outer
  const details = rows<Record<string, unknown>>(status.details)
  const find: Find = name => record(details?.find(detail => detail['@type'] === detailType(name)))

  const { reason, domain, metadata } = find('ErrorInfo')
  const { code, ...texts } = Object.fromEntries(Object.entries(record(metadata)).filter(isTextEntry))
  return new ApiError(
    {
      reason: text(reason) || `HTTP_${http}`,
      rpc: rpcOf(status.code) ?? rpcOf(status.status) ?? rpcOfHttp(http),
      code: Number(code) || undefined,
      domain: text(domain) ? { name: text(domain) } : undefined,
    },
    // RFC 9457 names its members `title` and `detail`.
    text(status.message) || text(status.detail) || text(status.title) || `HTTP status ${http}`,
    texts,
    detailsOf(find, retryAfter(headers, now)),
    {
      status: http,
      requestId: headers.get('x-request-id') ?? undefined,
      traceId: headers.get('traceparent')?.split('-')[1],
      body,
    },
  )
}

/**
 * Returns the seconds of the header `Retry-After` (RFC 9110 §10.2.3); undefined if the header is absent or unreadable.
 * `now` is the time in milliseconds since 1970.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after') ?? ''
  const time = Date.parse(value)
  return seconds(`${value}s`) ?? (Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000)))
}

/** Returns the seconds of a duration in JSON, such as `1.5s`; undefined for another value. */
const seconds = (value: unknown): number | undefined =>
  /^\d{1,12}(?:\.\d{1,9})?s$/.test(text(value)) ? Number.parseFloat(text(value)) : undefined

type Find = (name: DetailName) => Record<string, unknown>

function detailsOf(find: Find, headerSeconds: number | undefined): ErrorDetails {
  const { resource_type: type, resource_name: name } = find('ResourceInfo')
  // Servers with protobuf's own JSON form write the member in camel case.
  const { retry_delay, retryDelay = retry_delay } = find('RetryInfo')
  return {
    badRequest: rows(find('BadRequest').field_violations),
    precondition: rows(find('PreconditionFailure').violations),
    quota: rows(find('QuotaFailure').violations),
    resource: isText(type) && isText(name) ? { type, name } : undefined,
    retryAfterSeconds: seconds(retryDelay) ?? headerSeconds,
  }
}

/**
 * Returns the items of a list as objects; undefined for another value. The cast trusts the members that google.rpc
 * declares, because answers are not checked.
 */
function rows<Row>(list: unknown): readonly Row[] | undefined {
  return Array.isArray(list) ? (list.map(record) as Row[]) : undefined
}

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const isText = (value: unknown): value is string => typeof value === 'string'
const text = (value: unknown): string => (isText(value) ? value : '')
const isTextEntry = (entry: readonly [string, unknown]): entry is [string, string] => isText(entry[1])

/** The wire form of google.rpc.Status. */
export interface Status {
  readonly code: number
  readonly message: string
  readonly details: readonly { readonly '@type': string; readonly [member: string]: unknown }[]
}

/** Returns the number of a code: 5 for NOT_FOUND. */
export const rpcNumber = (code: RpcCode): number => names.indexOf(code) + 1

type DetailName = 'ErrorInfo' | 'BadRequest' | 'PreconditionFailure' | 'QuotaFailure' | 'ResourceInfo' | 'RetryInfo'

/** Returns the `@type` of a detail, from its name in google.rpc. */
const detailType = (name: DetailName): string => `type.googleapis.com/google.rpc.${name}`

/** Returns the wire form of an error; `called` is the domain of the operation that threw it (conventions §7). */
export function toStatus(error: ApiError, called: ErrorDomain): Status {
  const domain = error.domain ?? called
  const { badRequest, precondition, quota, resource, retryAfterSeconds } = error.details
  const metadata = { ...codeOf(error, domain), ...error.metadata }
  const details = [
    detail('ErrorInfo', { reason: error.reason, domain: domain.name, metadata }),
    detail('BadRequest', badRequest && { field_violations: badRequest }),
    detail('PreconditionFailure', precondition && { violations: precondition }),
    detail('QuotaFailure', quota && { violations: quota }),
    detail('ResourceInfo', resource && { resource_type: resource.type, resource_name: resource.name }),
    detail('RetryInfo', retryAfterSeconds === undefined ? undefined : { retry_delay: `${retryAfterSeconds}s` }),
  ].flat()
  return { code: rpcNumber(error.rpc), message: error.message, details }
}

/** Returns a list with one detail, or an empty list if `members` is undefined. */
const detail = (name: DetailName, members: object | undefined): Status['details'] =>
  members ? [{ '@type': detailType(name), ...members }] : []

function codeOf(error: ApiError, domain: ErrorDomain): { readonly code?: string } {
  if (error.code === undefined) return {}
  if (error.code >= 1000) return { code: String(error.code) }
  return domain.base === undefined ? {} : { code: String(domain.base + error.code) }
}

/** Replaces error answers: `answer` is the default, google.rpc.Status as JSON. Must not throw. */
export type RenderError = (answer: WireAnswer, error: ApiError) => WireAnswer

/** Returns the answer of an error; `called` is the domain of the called operation. */
export function errorAnswer(
  error: ApiError,
  called: ErrorDomain,
  render: RenderError = answer => answer,
  status: number = rpcCodes[error.rpc],
): WireAnswer {
  const { retryAfterSeconds } = error.details
  const answer = {
    status,
    headers: {
      'content-type': 'application/json',
      ...(error.rpc === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
    },
    body: JSON.stringify(toStatus(error, called)),
  }
  return render(answer, error)
}
