import { contentLengthRequired, presignedUrlExpired } from '../../../output/storage/errors.ts'
import { splitTarget } from '../../../runtime/call.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { WireRequest } from '../../../runtime/wire.ts'
import { dataPrefix, objectPath } from '../objects/object-path.ts'
import { ownQuery } from '../presigned/sign-url.ts'
import type { SigningKeys } from '../presigned/signing-keys.ts'
import { areSameSignatures, signatureQuery, signQuery } from '../presigned/url-signature.ts'
import { invalidSignature, readPresigned, type PresignedRequest } from './presigned-request.ts'

/** A request whose signature is valid. */
export interface VerifiedRequest {
  readonly bucket: string
  readonly object: string
  readonly engine: string
  /** The id of the principal that asked for the URL. */
  readonly principal: string
  /** The signed parameters, without those of the signature and the principal. */
  readonly query: Readonly<Record<string, string>>
  /** All received headers. */
  readonly headers: WireRequest['headers']
  /** The names of the signed headers. */
  readonly signed: ReadonlySet<string>
}

/** How far the date of a signature may lie in the future, in milliseconds. */
const clockSkewMs = 15 * 60_000

/**
 * Returns the parts of a request if its signature is valid: the request is built from the URL and the received headers,
 * and signed again (storage.md 4.2). Throws CONTENT_LENGTH_REQUIRED, SIGNATURE_INVALID and PRESIGNED_URL_EXPIRED.
 */
export async function verify(keys: SigningKeys, request: WireRequest, now: number): Promise<VerifiedRequest> {
  const [path, query] = splitTarget(request.target)
  const { bucket, object } = namesOf(path)
  if (!query.includes(`${signatureQuery.signature}=`) && request.headers.authorization !== undefined)
    throw invalidSignature('this address takes signatures in the URL, and none in the header Authorization')
  const presigned = readPresigned(query)
  requireLength(presigned, request)
  const headers = signedHeaders(presigned, request)
  requireAllSigned(presigned, request)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method !== 'GET' && method !== 'PUT') throw invalidSignature(`the URL is for another method than ${method}`)
  const { engine, expiresSeconds, keyId, signature, signedMs } = presigned
  const key = await keys.find(keyId, now)
  if (!key) throw invalidSignature(`this platform has not issued the key ${keyId} of the URL, or no longer uses it`)
  const expected = await signQuery(
    { method, host: request.headers.host ?? '', path: objectPath(bucket, object), query: presigned.query, headers },
    { key, engine, signedMs, expiresSeconds },
  )
  if (!areSameSignatures(expected[signatureQuery.signature] ?? '', signature)) throw mismatch(presigned)
  requireAsSigned(presigned, expected)
  if (signedMs > now + clockSkewMs) throw invalidSignature('the URL is dated in the future')
  const endMs = signedMs + expiresSeconds * 1000
  if (endMs <= now) throw presignedUrlExpired(`the URL worked until ${formatMillis(endMs)}; ask for another URL`)
  const { [ownQuery.principal]: principal = '', ...rest } = presigned.query
  const signed = new Set(presigned.headerNames)
  return { bucket, object, engine, principal, query: rest, headers: request.headers, signed }
}

/** Returns the names in the path of a request: the id of the bucket, and the decoded name of the object. */
export function namesOf(path: string): { readonly bucket: string; readonly object: string } {
  const [bucket = '', ...segments] = path.slice(dataPrefix.length + 1).split('/')
  try {
    return {
      bucket: decodeURIComponent(bucket),
      object: segments.map(segment => decodeURIComponent(segment)).join('/'),
    }
  } catch {
    throw invalidSignature('the path of the URL is not percent-encoded UTF-8')
  }
}

function requireLength({ headerNames }: PresignedRequest, { headers }: WireRequest): void {
  if (!headerNames.includes('content-length') || headers['content-length'] !== undefined) return
  const description = 'must be sent, because the URL is signed for a length; do not send the body in chunks'
  throw contentLengthRequired(`Content-Length ${description}`, {
    badRequest: [{ field: 'Content-Length', description }],
  })
}

function signedHeaders({ headerNames }: PresignedRequest, { headers }: WireRequest): Record<string, string> {
  const entries = headerNames.map(name => {
    const value = headers[name]
    if (value === undefined) throw invalidSignature(`the request lacks the signed header ${name.slice(0, 80)}`)
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}

/** Throws SIGNATURE_INVALID for headers that would change the meaning of the request without being signed. */
function requireAllSigned({ headerNames }: PresignedRequest, { headers }: WireRequest): void {
  const unsigned = Object.keys(headers).find(
    name => (name.startsWith('x-amz-') || name.startsWith('x-nf-')) && !headerNames.includes(name),
  )
  if (unsigned === undefined) return
  throw invalidSignature(`the request has the header ${unsigned.slice(0, 80)}, which the signature does not cover`)
}

/**
 * Throws SIGNATURE_INVALID unless the URL has exactly the parameters of the URL that was signed. The signature itself
 * covers neither the date in the credential nor the order of the names of headers, and no parameter `x-amz-signature`.
 */
function requireAsSigned({ parameters }: PresignedRequest, expected: Readonly<Record<string, string>>): void {
  const changed = Object.keys(parameters).find(
    name => parameters[name] !== expected[name] || (/^x-amz-/i.test(name) && !signatureNames.has(name)),
  )
  if (changed === undefined) return
  throw invalidSignature(`the parameter ${changed.slice(0, 80)} of the URL is not as it was signed`)
}

const signatureNames: ReadonlySet<string> = new Set(Object.values(signatureQuery))

function mismatch({ headerNames }: PresignedRequest) {
  const names = headerNames.length === 0 ? '' : ` and the headers ${headerNames.join(', ').slice(0, 200)}`
  return invalidSignature(`the signature is for another request: method, host, path, query${names} must be as signed`)
}
