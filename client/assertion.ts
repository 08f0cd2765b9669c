/** What a service account shows instead of a password. */
export interface AssertionKey {
  /** The service account's id. */
  readonly accountId: string
  /** The id that its key was registered under. */
  readonly keyId: string
  /** For signing: Ed25519, or ECDSA over P-256, or RSASSA-PKCS1-v1_5 with SHA-256. It never leaves this machine. */
  readonly privateKey: CryptoKey
}

/** By the name that WebCrypto gives a key's algorithm: that of JWT (RFC 7518, RFC 8037), and how it signs. */
const algorithms: Readonly<
  Record<string, { readonly alg: string; readonly signing: AlgorithmIdentifier | EcdsaParams }>
> = {
  Ed25519: { alg: 'EdDSA', signing: 'Ed25519' },
  ECDSA: { alg: 'ES256', signing: { name: 'ECDSA', hash: 'SHA-256' } },
  'RSASSA-PKCS1-v1_5': { alg: 'RS256', signing: 'RSASSA-PKCS1-v1_5' },
}

/** Seconds for which an assertion is good; servers take at most 300. */
const lifeSeconds = 120

/**
 * A JWT for one call to `audience` (RFC 7523), good for two minutes from `nowMs`, milliseconds since 1970. Throws
 * `TypeError` where the key's algorithm is none that servers take.
 */
export async function signAssertion(key: AssertionKey, audience: string, nowMs: number): Promise<string> {
  const { accountId, keyId, privateKey } = key
  const { name } = privateKey.algorithm
  const algorithm = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
  if (!algorithm) throw new TypeError(`a key of ${name} signs no assertion: make one of Ed25519`)
  const issued = Math.floor(nowMs / 1000)
  const header = { alg: algorithm.alg, typ: 'JWT', kid: keyId }
  const claims = {
    iss: accountId,
    sub: accountId,
    aud: audience,
    iat: issued,
    exp: issued + lifeSeconds,
    jti: crypto.randomUUID(),
  }
  const signed = `${encodeJson(header)}.${encodeJson(claims)}`
  const signature = await crypto.subtle.sign(algorithm.signing, privateKey, new TextEncoder().encode(signed))
  return `${signed}.${base64url(new Uint8Array(signature))}`
}

const encodeJson = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)))

/** RFC 4648 §5, without padding. */
function base64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, byte => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
