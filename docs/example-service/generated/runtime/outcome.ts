// Copied by ninefold. Do not edit: generate writes it again.

import { watched } from './body.ts'
import type { CalledOperation } from './context.ts'
import { ApiError, commonReasons, stubReason, type RpcCode } from './errors.ts'
import type { ParameterReader } from './parameters/read.ts'
import type { BoundRoute, Route } from './route.ts'
import { rpcOfHttp } from './status.ts'
import type { WireAnswer, WireRequest } from './wire.ts'

/** The log entry of a call, which never has the query, the body or a credential. */
export interface LogEntry {
  readonly requestId: string
  readonly traceId: string
  /** The headers `traceparent` of the request and of the answer. */
  readonly traceparent: { readonly request: string | undefined; readonly answer: string }
  readonly method: string
  /** The template of the path; absent, like `operationId`, if no route matched. */
  readonly path: string | undefined
  readonly operationId: string | undefined
  /** The same object in every call of an operation. */
  readonly operation: CalledOperation | undefined
  readonly principalId: string | undefined
  /** The address of the caller, as the host of the runtime reports the address. */
  readonly clientAddress: string
  readonly status: number
  /** The google.rpc.Code of the error, otherwise of the status. */
  readonly code: RpcCode | 'OK'
  /** The reason of the error; `CANCELLED` if the caller disconnected. */
  readonly reason: string | undefined
  readonly milliseconds: number
  /** The thrown error, if it was a defect of the server. */
  readonly error?: unknown
}

/** A prepared route. */
export interface Served extends BoundRoute {
  readonly template: string
  readonly operation: CalledOperation
  readonly read: ParameterReader
  readonly noStore: boolean
  /** The media types of the successes, if a handler chooses among several. */
  readonly offers: readonly string[] | undefined
}

/** The facts of a call, collected while it is answered. */
export interface Call {
  readonly request: WireRequest
  readonly requestId: string
  readonly traceId: string
  readonly startMs: number
  served?: Served
  principalId?: string | undefined
  /** The HTTP status of an expected error, if it differs from the status of its reason. */
  errorStatus?: number | undefined
  allow?: string
  /** The encodings of bodies that the server accepts, after a request with another encoding. */
  acceptEncoding?: string
}

/** The result of a call for its log entry, in addition to the status of the answer. */
export interface Outcome {
  readonly code?: RpcCode
  readonly reason?: string
  readonly error?: unknown
}

/** The outcome of a call whose caller disconnected. */
export const cancelled: Outcome = { code: 'CANCELLED', reason: 'CANCELLED' }

/** Logs the call and returns the answer; a stream is logged at its end. */
export function finish(answer: WireAnswer, call: Call, outcome: Outcome, log: (entry: LogEntry) => void): WireAnswer {
  const { request, served, requestId, traceId, principalId } = call
  const record = ({ code, reason, error }: Outcome): void => {
    log({
      requestId,
      traceId,
      traceparent: { request: request.headers.traceparent, answer: String(answer.headers.traceparent) },
      method: request.method,
      path: served?.template,
      operationId: served?.route.operationId,
      operation: served?.operation,
      principalId,
      clientAddress: request.clientAddress,
      status: answer.status,
      code: code ?? (answer.status < 400 ? 'OK' : rpcOfHttp(answer.status)),
      reason,
      milliseconds: performance.now() - call.startMs,
      ...(error !== undefined && { error }),
    })
  }
  const { body } = answer
  if (!(body instanceof ReadableStream)) {
    record(outcome)
    return answer
  }
  const { 'content-length': length } = answer.headers
  const ended = (how: 'read' | 'left' | 'broken', error?: unknown): void => {
    if (how === 'read') record({})
    else record(how === 'left' || request.signal.aborted ? cancelled : { code: 'INTERNAL', reason: 'INTERNAL', error })
  }
  const stream = watched(body, ended, length === undefined ? undefined : Number(length))
  return { ...answer, body: stream }
}

/** The largest code of the common block, whose reasons every operation may throw (conventions §7). */
const commonCodes = 999

/** The name of the error domain of the doors, which check a call before its handler runs (conventions §7). */
const doorDomain = 'iam'

/**
 * Returns the error for the caller: the thrown error if it is declared by the operation, common to all operations, or
 * of the doors; otherwise INTERNAL, which only refers to the log.
 */
export function toldError(thrown: unknown, route: Route<unknown, unknown> | undefined, traceId: string): ApiError {
  if (thrown instanceof ApiError && isDeclared(thrown, route)) return thrown
  return new ApiError(commonReasons.INTERNAL, `internal error; it is recorded under trace ${traceId}`)
}

function isDeclared({ reason, code, domain }: ApiError, route: Route<unknown, unknown> | undefined): boolean {
  if (route?.raises === undefined || domain?.name === doorDomain || reason === stubReason.reason) return true
  if (code !== undefined && code <= commonCodes) return true
  return route.raises.includes(reason) || (domain !== undefined && route.raises.includes(`${domain.name}.${reason}`))
}
