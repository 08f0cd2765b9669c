// Copied by ninefold. Do not edit: generate writes it again.

/**
 * The HTTP status of each google.rpc.Code, keyed by the name of the code, in the order of the codes, which begin at 1
 * (conventions §7).
 */
export const rpcCodes = {
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
} as const

/** The name of a google.rpc.Code. */
export type RpcCode = keyof typeof rpcCodes

/** A fault of a request. `field` is a path in the form of conventions §7, such as `data_disks[0].size_gib`. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
}

/** A quota that a request would exceed, as in google.rpc.QuotaFailure. */
export interface QuotaViolation {
  readonly subject: string
  readonly description: string
}

/** A condition that a request needs and that is not met, as in google.rpc.PreconditionFailure. */
export interface PreconditionViolation extends QuotaViolation {
  readonly type: string
}

/** The details of an error in addition to ErrorInfo; each detail occurs at most once, in this order. */
export interface ErrorDetails {
  readonly badRequest?: readonly FieldViolation[] | undefined
  readonly precondition?: readonly PreconditionViolation[] | undefined
  readonly quota?: readonly QuotaViolation[] | undefined
  readonly resource?: { readonly type: string; readonly name: string } | undefined
  /** The delay before a retry, in seconds; also the value of `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined
}

/** Details of an error that must have the members `Name`. */
export type DetailsWith<Name extends keyof ErrorDetails> = ErrorDetails & {
  readonly [Member in Name]: NonNullable<ErrorDetails[Member]>
}

/**
 * A declared reason. A `code` from 1000 on is the full number. A `code` below 1000 belongs to the common block, and the
 * base of the called area is added.
 */
export interface Reason<Name extends string = string> {
  readonly reason: Name
  readonly rpc: RpcCode
  readonly code?: number | undefined
  /** The domain of the error; absent if it is the domain of the called operation. */
  readonly domain?: ErrorDomain | undefined
}

/**
 * The facts of the HTTP answer that carried an error, for clients; absent on errors that were thrown in this process.
 */
export interface ErrorResponse {
  readonly status: number
  /** The header `x-request-id`. */
  readonly requestId: string | undefined
  /** The trace id of the header `traceparent`. */
  readonly traceId: string | undefined
  /** The JSON value of the body, or the text of a body that is no JSON. Details of unknown types are only here. */
  readonly body: unknown
}

/**
 * An error for the caller as google.rpc.Status, on the server and on the client. Any other error that a handler throws
 * becomes INTERNAL.
 */
export class ApiError<Name extends string = string> extends Error {
  override readonly name = 'ApiError'
  declare readonly reason: Name
  declare readonly rpc: RpcCode
  declare readonly code: number | undefined
  declare readonly domain: ErrorDomain | undefined
  declare readonly metadata: Readonly<Record<string, string>>
  declare readonly details: ErrorDetails
  declare readonly response: ErrorResponse | undefined

  constructor(
    of: Reason<Name>,
    message: string,
    metadata: Readonly<Record<string, string>> = {},
    details: ErrorDetails = {},
    response?: ErrorResponse,
  ) {
    super(message)
    Object.assign(this, of, { metadata, details, response })
  }
}

/**
 * Returns an error about a row that a body or a query parameter names: INVALID_ARGUMENT with a BadRequest violation of
 * `field`, even if the same reason has another code for a row in the path (conventions §3).
 */
export function atField<Name extends string>(error: ApiError<Name>, field: string): ApiError<Name> {
  const { reason, code, domain, message, metadata, details } = error
  const of = { reason, rpc: 'INVALID_ARGUMENT', code, domain } as const
  return new ApiError(of, message, metadata, { ...details, ...faultyField(field, message) })
}

/** Returns the details of an error of one faulty field. */
const faultyField = (field: string, description: string): DetailsWith<'badRequest'> => ({
  badRequest: [{ field, description }],
})

/**
 * Returns the error that a generated constructor makes for one faulty field: `message` is the message of the error and
 * the description of the BadRequest violation. `details` are the other details of the error.
 */
export function faultAt<Name extends string>(
  make: (message: string, details: DetailsWith<'badRequest'>) => ApiError<Name>,
  field: string,
  message: string,
  details?: ErrorDetails,
): ApiError<Name> {
  return make(message, { ...details, ...faultyField(field, message) })
}

/**
 * Returns the error that a generated constructor makes for a field that names an absent resource: `message` is the
 * message of the error and the description of the BadRequest violation.
 */
export function absentAt<Name extends string>(
  make: (message: string, details: DetailsWith<'badRequest' | 'resource'>) => ApiError<Name>,
  field: string,
  message: string,
  resource: NonNullable<ErrorDetails['resource']>,
): ApiError<Name> {
  return make(message, { ...faultyField(field, message), resource })
}

/** The reasons of the common block that the runtime itself throws; a test compares them with common.yaml. */
export const commonReasons = {
  ENGINE_UNAVAILABLE: { reason: 'ENGINE_UNAVAILABLE', rpc: 'UNAVAILABLE', code: 3 },
  ETAG_MISMATCH: { reason: 'ETAG_MISMATCH', rpc: 'ABORTED', code: 5 },
  ROUTE_NOT_FOUND: { reason: 'ROUTE_NOT_FOUND', rpc: 'NOT_FOUND', code: 9 },
  FIELD_INVALID: { reason: 'FIELD_INVALID', rpc: 'INVALID_ARGUMENT', code: 10 },
  FIELD_IMMUTABLE: { reason: 'FIELD_IMMUTABLE', rpc: 'INVALID_ARGUMENT', code: 11 },
  UPDATE_MASK_INVALID: { reason: 'UPDATE_MASK_INVALID', rpc: 'INVALID_ARGUMENT', code: 12 },
  FILTER_INVALID: { reason: 'FILTER_INVALID', rpc: 'INVALID_ARGUMENT', code: 13 },
  ORDER_BY_INVALID: { reason: 'ORDER_BY_INVALID', rpc: 'INVALID_ARGUMENT', code: 14 },
  PAGE_TOKEN_INVALID: { reason: 'PAGE_TOKEN_INVALID', rpc: 'INVALID_ARGUMENT', code: 15 },
  INTERNAL: { reason: 'INTERNAL', rpc: 'INTERNAL', code: 20 },
} as const satisfies Record<string, Reason>

/** The reasons of errors that a client itself finds in a call: no answer, a late answer, or an undeclared answer. */
export const clientReasons = {
  ANSWER_INVALID: { reason: 'ANSWER_INVALID', rpc: 'INTERNAL' },
  CONNECTION_FAILED: { reason: 'CONNECTION_FAILED', rpc: 'UNAVAILABLE' },
  DEADLINE_EXCEEDED: { reason: 'DEADLINE_EXCEEDED', rpc: 'DEADLINE_EXCEEDED' },
} as const satisfies Record<string, Reason>

/** Returns the error of an answer that breaks the contract of the document. */
export const answerInvalid = (message: string): ApiError => new ApiError(clientReasons.ANSWER_INVALID, message)

/** The reason of handlers that are not implemented. Every operation may throw an error with this reason. */
export const stubReason = { reason: 'NOT_IMPLEMENTED', rpc: 'UNIMPLEMENTED' } as const satisfies Reason

/** Returns the error of a scaffolded handler that is not implemented: 501, without a code. */
export const unimplemented = (operationId: string): ApiError<'NOT_IMPLEMENTED'> =>
  new ApiError(stubReason, `operation "${operationId}" is not implemented yet`)

/**
 * The domain of errors: the name in `ErrorInfo.domain`, and the number at which the codes of the domain begin. An
 * operation's own errors and the common errors have the domain of the operation's area.
 */
export interface ErrorDomain {
  readonly name: string
  /**
   * The number at which the domain's codes begin, S_000_000 in conventions §7; absent for documents without `x-errors`.
   */
  readonly base?: number
}
