import { ApiError, type RpcCode } from '../../../runtime/errors.ts'
import type { RenderError } from '../../../runtime/status.ts'

/** The statuses and the codes of google.rpc of the error codes of OCI distribution 1.1. */
const codes = {
  BLOB_UNKNOWN: [404, 'NOT_FOUND'],
  BLOB_UPLOAD_INVALID: [400, 'INVALID_ARGUMENT'],
  BLOB_UPLOAD_UNKNOWN: [404, 'NOT_FOUND'],
  DIGEST_INVALID: [400, 'INVALID_ARGUMENT'],
  MANIFEST_BLOB_UNKNOWN: [404, 'NOT_FOUND'],
  MANIFEST_INVALID: [400, 'INVALID_ARGUMENT'],
  MANIFEST_UNKNOWN: [404, 'NOT_FOUND'],
  NAME_INVALID: [400, 'INVALID_ARGUMENT'],
  NAME_UNKNOWN: [404, 'NOT_FOUND'],
  SIZE_INVALID: [413, 'INVALID_ARGUMENT'],
  UNAUTHORIZED: [401, 'UNAUTHENTICATED'],
  DENIED: [403, 'PERMISSION_DENIED'],
  UNSUPPORTED: [405, 'UNIMPLEMENTED'],
  TOOMANYREQUESTS: [429, 'RESOURCE_EXHAUSTED'],
} as const satisfies Record<string, readonly [status: number, rpc: RpcCode]>

/** An error code of OCI distribution 1.1. */
export type OciCode = keyof typeof codes

/** What an error of the plane has beside its code and message. */
export interface OciDetails {
  /** The status, if it is not the usual one of the code. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The member `detail` of the error. */
  readonly detail?: Readonly<Record<string, unknown>>
}

const known = new WeakMap<object, OciDetails>()

/** Returns an error that the plane answers in the form of OCI distribution 1.1. */
export function ociError(code: OciCode, message: string, details: OciDetails = {}): ApiError {
  const error = new ApiError({ reason: code, rpc: codes[code][1] }, message)
  known.set(error, details)
  return error
}

/** Returns the status with which an error was made; undefined for the usual status of its code. */
export const ociStatus = (error: unknown): number | undefined =>
  error instanceof ApiError ? known.get(error)?.status : undefined

/** Returns the error of a refusal, which says neither what exists nor what decided (conventions §12). */
export const denied = (): ApiError =>
  new ApiError({ reason: 'IAM_PERMISSION_DENIED', rpc: 'PERMISSION_DENIED' }, 'permission denied')

/** The statuses and codes of reasons of the platform under `/v2/` (registry.md 3). */
const reasons: Readonly<Record<string, readonly [status: number, code: OciCode]>> = {
  ARTIFACT_KIND_NOT_ALLOWED: [403, 'DENIED'],
  ARTIFACT_LOCKED: [409, 'DENIED'],
  ARTIFACT_NOT_FOUND: [404, 'MANIFEST_UNKNOWN'],
  ARTIFACT_REFERENCED: [409, 'DENIED'],
  ARTIFACT_TOO_LARGE: [413, 'SIZE_INVALID'],
  IAM_PERMISSION_DENIED: [403, 'DENIED'],
  OBJECT_TOO_LARGE: [413, 'SIZE_INVALID'],
  QUOTA_EXCEEDED: [403, 'DENIED'],
  REPOSITORY_READ_ONLY: [403, 'DENIED'],
  TAG_IMMUTABLE: [409, 'DENIED'],
  TAG_NOT_FOUND: [404, 'MANIFEST_UNKNOWN'],
  VULNERABLE_ARTIFACT_BLOCKED: [403, 'DENIED'],
  WORKSPACE_NOT_ACTIVE: [403, 'DENIED'],
}

/** The codes of errors that the server itself finds in a request, keyed by status. */
const byStatus: Readonly<Record<number, OciCode>> = {
  401: 'UNAUTHORIZED',
  403: 'DENIED',
  413: 'SIZE_INVALID',
  429: 'TOOMANYREQUESTS',
}

const isOci = (reason: string): reason is OciCode => Object.hasOwn(codes, reason)

/**
 * Renders an error of the plane: `{"errors": [{code, message, detail}]}` with the codes of OCI distribution 1.1 and the
 * reason of the platform in `detail.reason` (registry.md 3). Failures of the server have no body.
 */
export const renderOciError: RenderError = (answer, error) => {
  if (isOci(error.reason)) {
    const { detail, headers, status = codes[error.reason][0] } = known.get(error) ?? {}
    return written({ ...answer, status }, { code: error.reason, message: error.message, detail }, headers)
  }
  if (answer.status >= 500) return { status: answer.status, headers: retryHeader(answer.headers) }
  const [status, code] = reasons[error.reason] ?? [answer.status, byStatus[answer.status] ?? 'UNSUPPORTED']
  const detail = { reason: error.reason, ...publicMetadata(error) }
  return written({ ...answer, status }, { code, message: error.message, detail })
}

type Rendered = ReturnType<RenderError>

function written(answer: Rendered, error: object, headers: Readonly<Record<string, string>> = {}): Rendered {
  return {
    status: answer.status,
    headers: { ...retryHeader(answer.headers), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ errors: [error] }),
  }
}

/** Of the headers of the platform's error, only the time of a retry is for clients of the plane. */
function retryHeader(headers: Rendered['headers']): Rendered['headers'] {
  const found = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'retry-after')
  return Object.fromEntries(found)
}

/** A refusal names nothing, because a scope would say that it exists. */
const publicMetadata = ({ metadata, reason }: ApiError): Readonly<Record<string, string>> =>
  reason === 'IAM_PERMISSION_DENIED' || reason === 'WORKSPACE_NOT_ACTIVE' ? {} : metadata
