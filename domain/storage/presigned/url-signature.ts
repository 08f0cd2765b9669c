import { createHash, createHmac, timingSafeEqual, type Hash, type Hmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'

/** A key that signs URLs. */
export interface SigningKey {
  /** The public name of the key in URLs, `NFK` and 20 letters and digits. */
  readonly id: string
  readonly secret: string
}

/** A request over a presigned URL. */
export interface SignedRequest {
  readonly method: 'GET' | 'PUT'
  readonly host: string
  /** The path with percent-encoded segments, as `objectPath` returns it. */
  readonly path: string
  /** The parameters of the query, decoded, without those of the signature. */
  readonly query: Readonly<Record<string, string>>
  /** The headers that are signed, keyed by lower-case name, without `host`. */
  readonly headers: Readonly<Record<string, string>>
}

/** The terms of a signature. */
export interface SignatureTerms {
  readonly key: SigningKey
  /** The name of the engine, which takes the place of a region. */
  readonly engine: string
  /** The time of the signature in milliseconds since 1970; fractions of a second are dropped. */
  readonly signedMs: number
  readonly expiresSeconds: number
}

/** The names of the query parameters of a signature (AWS Signature Version 4). */
export const signatureQuery = {
  algorithm: 'X-Amz-Algorithm',
  payload: 'X-Amz-Content-Sha256',
  credential: 'X-Amz-Credential',
  date: 'X-Amz-Date',
  expires: 'X-Amz-Expires',
  headers: 'X-Amz-SignedHeaders',
  signature: 'X-Amz-Signature',
} as const

/** The name of the algorithm in URLs. */
export const algorithm = 'AWS4-HMAC-SHA256'

/** The value of `X-Amz-Content-Sha256` of a URL whose signature does not cover the body. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** The service in the scope of every signature. */
export const signedService = 's3'

/** Returns all query parameters of a presigned URL, decoded. */
export async function signQuery(
  { headers, host, method, path, query }: SignedRequest,
  { engine, expiresSeconds, key, signedMs }: SignatureTerms,
): Promise<Readonly<Record<string, string>>> {
  const signer = new SignatureV4({
    service: signedService,
    region: engine,
    credentials: { accessKeyId: key.id, secretAccessKey: key.secret },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  })
  const names = new Set(Object.keys(headers))
  const signed = await signer.presign(
    {
      method,
      protocol: 'https:',
      hostname: host,
      path,
      query: { ...query },
      headers: { host, [signatureQuery.payload]: unsignedPayload, ...headers },
    },
    {
      signingDate: new Date(signedMs),
      expiresIn: expiresSeconds,
      signableHeaders: new Set([...names, 'host']),
      unhoistableHeaders: names,
    },
  )
  return Object.fromEntries(Object.entries(signed.query ?? {}).map(([name, value]) => [name, String(value)]))
}

/** Whether two signatures in hex are equal; the time of the comparison tells nothing about them. */
export function areSameSignatures(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** SHA-256, or HMAC-SHA-256 if a key is given, in the form that the signer calls. */
class Sha256 {
  readonly #digest: Hash | Hmac

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#digest = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key))
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#digest.update(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#digest.digest()
  }

  reset(): void {
    throw new Error('a signer makes a new digest for each message')
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8')
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
