import { ApiError, rpcCodes, type ErrorDomain } from './errors.ts'
import type { ErrorDetails, RpcCode } from './errors.ts'
import { isRecord } from './validation.ts'
import type { WireAnswer } from './wire.ts'

/** HTTP statuses that several codes share, or none has. */
const httpCodes: Readonly<Record<number, RpcCode>> = {
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
}

// The names of a constant table are what its type says.
const names = /* @__PURE__ */ Object.keys(rpcCodes) as RpcCode[]

/** The code with this number or name; undefined when there is none. */
export const rpcOf = (said: unknown): RpcCode | undefined =>
  names.find((name, index) => name === said || index + 1 === said)

/** The code of an answer whose body names none. */
export const rpcOfHttp = (status: number): RpcCode =>
  httpCodes[status] ??
  names.find(name => rpcCodes[name] === status) ??
  (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')

/**
 * The error of an answer without success: its google.rpc.Status as `toStatus` writes it, or wrapped in `error` (AIP-193).
 * Any other body gives the reason `HTTP_<status>`. Never throws, whatever `body` is; it is kept in `response`.
 * `now` is the clock in milliseconds, for a `Retry-After` that names a time.
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
    // RFC 9457 has two other names.
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

/** Seconds that the header `Retry-After` asks to wait (RFC 9110 §10.2.3); undefined when it is absent or unreadable. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after') ?? ''
  const time = Date.parse(value)
  return seconds(`${value}s`) ?? (Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000)))
}

/** A duration as JSON has it: `1.5s`. */
const seconds = (value: unknown): number | undefined =>
  /^\d{1,12}(?:\.\d{1,9})?s$/.test(text(value)) ? Number.parseFloat(text(value)) : undefined

type Find = (name: DetailName) => Record<string, unknown>

function detailsOf(find: Find, headerSeconds: number | undefined): ErrorDetails {
  const { resource_type: type, resource_name: name } = find('ResourceInfo')
  // Servers that follow protobuf's own JSON form write the member in camel case.
  const { retry_delay, retryDelay = retry_delay } = find('RetryInfo')
  return {
    badRequest: rows(find('BadRequest').field_violations),
    precondition: rows(find('PreconditionFailure').violations),
    quota: rows(find('QuotaFailure').violations),
    resource: isText(type) && isText(name) ? { type, name } : undefined,
    retryAfterSeconds: seconds(retryDelay) ?? headerSeconds,
  }
}

/** A list of objects; which members they have is google.rpc's promise, as the types of answers are the document's. */
function rows<Row>(list: unknown): readonly Row[] | undefined {
  return Array.isArray(list) ? (list.map(record) as Row[]) : undefined
}

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const isText = (value: unknown): value is string => typeof value === 'string'
const text = (value: unknown): string => (isText(value) ? value : '')
const isTextEntry = (entry: readonly [string, unknown]): entry is [string, string] => isText(entry[1])

/** google.rpc.Status as it goes over the wire. */
export interface Status {
  readonly code: number
  readonly message: string
  readonly details: readonly { readonly '@type': string; readonly [member: string]: unknown }[]
}

/** The number of a code: 5 of NOT_FOUND. */
export const rpcNumber = (code: RpcCode): number => names.indexOf(code) + 1

type DetailName = 'ErrorInfo' | 'BadRequest' | 'PreconditionFailure' | 'QuotaFailure' | 'ResourceInfo' | 'RetryInfo'

/** The `@type` of a detail, by its name in google.rpc. */
const detailType = (name: DetailName): string => `type.googleapis.com/google.rpc.${name}`

/** The wire form of an error; `called` is the domain of the operation that raised it (conventions §7, "whose code"). */
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

/** One detail, or none where it says nothing. */
const detail = (name: DetailName, members: object | undefined): Status['details'] =>
  members ? [{ '@type': detailType(name), ...members }] : []

function codeOf(error: ApiError, domain: ErrorDomain): { readonly code?: string } {
  if (error.code === undefined) return {}
  if (error.code >= 1000) return { code: String(error.code) }
  return domain.base === undefined ? {} : { code: String(domain.base + error.code) }
}

/** Replaces the answers of errors: `answer` is what would be sent, google.rpc.Status as JSON. Must not throw. */
export type RenderError = (answer: WireAnswer, error: ApiError) => WireAnswer

/** An error as it goes over the wire; `called` is the domain of the operation that was called. */
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
