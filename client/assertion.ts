/** The key with which a service account signs in, instead of a password. */
export interface AssertionKey {
  /** The id of the service account. */
  readonly accountId: string
  /** The id under which the public key is registered. */
  readonly keyId: string
  /**
   * The signing key: Ed25519, ECDSA over P-256, or RSASSA-PKCS1-v1_5 with SHA-256. The key never leaves this machine.
   */
  readonly privateKey: CryptoKey
}

/**
 * The name in JWT (RFC 7518, RFC 8037) and the parameters for signing, keyed by the WebCrypto name of the algorithm.
 */
const algorithms: Readonly<
  Record<string, { readonly alg: string; readonly signing: AlgorithmIdentifier | EcdsaParams }>
> = {
  Ed25519: { alg: 'EdDSA', signing: 'Ed25519' },
  ECDSA: { alg: 'ES256', signing: { name: 'ECDSA', hash: 'SHA-256' } },
  'RSASSA-PKCS1-v1_5': { alg: 'RS256', signing: 'RSASSA-PKCS1-v1_5' },
}

/** The lifetime of an assertion in seconds; servers accept at most 300. */
const lifeSeconds = 120

/**
 * Returns a signed JWT for one call to `audience` (RFC 7523). The JWT is valid for two minutes from `nowMs`, in
 * milliseconds since 1970. Throws `TypeError` if servers do not accept the key's algorithm.
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

/** Returns bytes in the base64url encoding of RFC 4648 §5, without padding. */
function base64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, byte => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
