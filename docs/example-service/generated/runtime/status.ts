// Copied by ninefold. Do not edit: generate writes it again.

import { ApiError, detailType, rpcCodes } from './errors.ts'
import type { ErrorDetails, RpcCode } from './errors.ts'
import { isRecord } from './validation.ts'

/** HTTP statuses that several codes share, or none has. */
const httpCodes: Readonly<Record<number, RpcCode>> = {
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
}

/** The code of an answer whose body names none: other 5xx are INTERNAL, all else is FAILED_PRECONDITION. */
export function rpcOfHttp(status: number): RpcCode {
  const code = httpCodes[status] ?? findCode(name => rpcCodes[name] === status)
  return code ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION')
}

/** The code with this number or name; undefined when there is none. */
export const rpcOf = (code: unknown): RpcCode | undefined =>
  findCode((name, index) => name === code || index + 1 === code)

function findCode(fits: (name: RpcCode, index: number) => boolean): RpcCode | undefined {
  // The names of a constant table are what its type says.
  return (Object.keys(rpcCodes) as RpcCode[]).find(fits)
}

/**
 * The error of an answer without success: its google.rpc.Status as `toStatus` writes it, or wrapped in `error` (AIP-193).
 * Any other body gives the reason `HTTP_<status>`. Never throws, whatever `body` is; it is kept in `response`.
 * `now` is the clock in milliseconds, for a `Retry-After` that names a time.
 */
export function fromStatus(answer: Pick<Response, 'status' | 'headers'>, body: unknown, now: number): ApiError {
  const { status: http, headers } = answer
  const outer = record(body)
  const status = isRecord(outer.error) ? outer.error : outer
  const details = Array.isArray(status.details) ? status.details.map(record) : []
  const find: Find = name => record(details.find(detail => detail['@type'] === detailType(name)))

  const { reason, domain, metadata } = find('ErrorInfo')
  const { code, ...texts } = Object.fromEntries(Object.entries(record(metadata)).filter(isText))
  return new ApiError(
    {
      reason: text(reason) || `HTTP_${http}`,
      rpc: rpcOf(status.code) ?? rpcOf(status.status) ?? rpcOfHttp(http),
      code: /^\d{1,15}$/.test(text(code)) ? Number(code) : undefined,
      domain: typeof domain === 'string' && domain ? { name: domain } : undefined,
    },
    // RFC 9457 has two other names.
    text(status.message) || text(status.detail) || text(status.title) || `the server answered with HTTP status ${http}`,
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
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000))
}

type Find = (name: Parameters<typeof detailType>[0]) => Record<string, unknown>

function detailsOf(find: Find, headerSeconds: number | undefined): ErrorDetails {
  const [resource] = rows([find('ResourceInfo')], 'resource_type', 'resource_name') ?? []
  // Servers that follow protobuf's own JSON form write the member in camel case.
  const { retry_delay, retryDelay = retry_delay } = find('RetryInfo')
  const isDelay = /^\d{1,12}(?:\.\d{1,9})?s$/.test(text(retryDelay))
  return {
    badRequest: rows(find('BadRequest').field_violations, 'field', 'description'),
    precondition: rows(find('PreconditionFailure').violations, 'type', 'subject', 'description'),
    quota: rows(find('QuotaFailure').violations, 'subject', 'description'),
    resource: resource && { type: resource.resource_type, name: resource.resource_name },
    retryAfterSeconds: isDelay ? Number.parseFloat(text(retryDelay)) : headerSeconds,
  }
}

/** A list whose entries have a text under each of the names. */
function rows<Name extends string>(
  list: unknown,
  ...names: readonly Name[]
): readonly Readonly<Record<Name, string>>[] | undefined {
  const isWhole = (row: unknown): row is Record<Name, string> =>
    names.every(name => typeof record(row)[name] === 'string')
  return Array.isArray(list) && list.every(isWhole) ? list : undefined
}

const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const isText = (entry: readonly [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
