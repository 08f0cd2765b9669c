import { signatureInvalid } from '../../../output/storage/errors.ts'
import { algorithm, signatureQuery, signedService } from '../presigned/url-signature.ts'

/** The parts of a presigned URL, before its signature is checked. */
export interface PresignedRequest {
  readonly keyId: string
  readonly engine: string
  readonly signedMs: number
  readonly expiresSeconds: number
  /** The names of the signed headers in lower case, without `host`. */
  readonly headerNames: readonly string[]
  readonly signature: string
  /** The parameters that are no parts of the signature. */
  readonly query: Readonly<Record<string, string>>
  /** All parameters of the URL, decoded. */
  readonly parameters: Readonly<Record<string, string>>
}

const maxExpirySeconds = 604_800

const credentialForm = new RegExp(String.raw`^([\w-]{1,128})/\d{8}/([\w-]{1,64})/${signedService}/aws4_request$`)

const dateForm = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/

const advice = 'ask createPresignedDownloadUrl or createPresignedUploadUrl for a URL, and send it unchanged'

/** Returns SIGNATURE_INVALID with a reason and the way to a valid URL. */
export const invalidSignature = (why: string) => signatureInvalid(`${why}; ${advice}`)

/** Reads the query of a presigned URL. Throws SIGNATURE_INVALID for a query without a signature of the right form. */
export function readPresigned(query: string): PresignedRequest {
  const parameters = parametersOf(query)
  const all = Object.fromEntries(parameters)
  const take = (name: string): string => {
    const value = parameters.get(name)
    parameters.delete(name)
    if (value === undefined) throw invalidSignature(`the URL has no parameter ${name}`)
    return value
  }
  if (take(signatureQuery.algorithm) !== algorithm) throw invalidSignature(`the URL is not signed with ${algorithm}`)
  const [, keyId, engine] = credentialForm.exec(take(signatureQuery.credential)) ?? []
  const signedMs = timeOf(take(signatureQuery.date))
  const expires = take(signatureQuery.expires)
  const headers = take(signatureQuery.headers).split(';')
  const signature = take(signatureQuery.signature)
  take(signatureQuery.payload)
  const expiresSeconds = /^[1-9]\d{0,5}$/.test(expires) ? Number(expires) : Number.NaN
  if (keyId === undefined || engine === undefined) throw invalidSignature('the credential of the URL is malformed')
  if (!(expiresSeconds <= maxExpirySeconds)) throw invalidSignature('the URL has a malformed or too long time to live')
  if (!headers.includes('host')) throw invalidSignature('the signature of the URL does not cover the host')
  return {
    keyId,
    engine,
    signedMs,
    expiresSeconds,
    headerNames: headers.filter(name => name !== 'host'),
    signature,
    query: Object.fromEntries(parameters),
    parameters: all,
  }
}

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const part of query.split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s).map(decoded)
    if (parameters.has(name)) throw invalidSignature('the URL has a parameter twice')
    parameters.set(name, value)
  }
  return parameters
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidSignature('the query of the URL is not percent-encoded UTF-8')
  }
}

function timeOf(date: string): number {
  const [, year, month, day, hour, minute, second] = dateForm.exec(date) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(time)) throw invalidSignature('the date of the signature is malformed')
  return time
}
