import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { isRecord } from '../../../runtime/validation.ts'
import type { Access } from './scopes.ts'
import type { TokenKeys } from './token-keys.ts'

/** The lifetime of a token, in seconds. */
export const tokenSeconds = 300

/** The lifetime of a token for a scanner, in seconds. */
const scannerSeconds = 900

/** The kinds of tokens, by their header `typ`, so that no kind passes for another. */
const types = { access: 'JWT', credential: 'registry-credential+jwt' } as const

/** The longest token in characters. */
const maxLength = 16_384

/** The number of verified tokens that are kept. */
const maxKnown = 5000

/** What a token says. */
export interface TokenClaims {
  /** The id of the principal; empty for an anonymous caller. */
  readonly principalId: string
  /** What the token grants. */
  readonly access: readonly Access[]
  /** The expiry, in milliseconds since 1970. */
  readonly expireTime: number
  /** Whether the platform gave the token to a scanner: then it needs no right of a principal. */
  readonly isScanner: boolean
}

/** The names in tokens, which the settings decide. */
export interface TokenNames {
  /** The issuer: the address of the platform. */
  readonly issuer: () => string
  /** The audience: the host of the registry. */
  readonly service: () => string
}

/** Makes and verifies the tokens of the registry: JWTs of ES256 with the certificate of their key (registry.md 3). */
export class RegistryTokens {
  readonly #keys: TokenKeys
  readonly #names: TokenNames
  readonly #known = new LRUCache<string, TokenClaims>({ max: maxKnown })

  constructor(keys: TokenKeys, names: TokenNames) {
    this.#keys = keys
    this.#names = names
  }

  /**
   * Returns a token of 300 seconds for the registry `service`, by default the registry that the platform serves itself.
   * Throws ENGINE_UNAVAILABLE while the vault is sealed.
   */
  access(principalId: string, access: readonly Access[], now: number, service?: string): Promise<string> {
    const aud = service ?? this.#names.service()
    return this.#sign(types.access, { sub: principalId, access, aud }, now, tokenSeconds)
  }

  /**
   * Returns a token of 15 minutes by which a scanner pulls an image, also one that a scan policy blocks. Throws
   * ENGINE_UNAVAILABLE while the vault is sealed.
   */
  scanner(name: string, now: number): Promise<string> {
    const access = [{ type: 'repository', name, actions: ['pull'] }]
    const aud = this.#names.service()
    return this.#sign(types.access, { sub: '', access, aud, scanner: true }, now, scannerSeconds)
  }

  /**
   * Returns the password of a principal for `seconds` seconds: it holds no rights of its own (registry.md 1). Throws
   * ENGINE_UNAVAILABLE while the vault is sealed.
   */
  credential(principalId: string, now: number, seconds: number): Promise<string> {
    return this.#sign(types.credential, { sub: principalId, aud: this.#names.service() }, now, seconds)
  }

  /** Returns the claims of a token; undefined for a token that is not valid at `now`. */
  async verify(token: string, now: number): Promise<TokenClaims | undefined> {
    const known = this.#known.get(token) ?? (await this.#opened(types.access, token, now))
    if (known === undefined || known.expireTime <= now) return undefined
    this.#known.set(token, known)
    return known
  }

  /** Returns the id of the principal of a password; undefined for a text that is none, or has expired. */
  async verifyCredential(password: string, now: number): Promise<string | undefined> {
    const claims = await this.#opened(types.credential, password, now)
    return claims !== undefined && claims.expireTime > now ? claims.principalId : undefined
  }

  async #sign(typ: string, claims: JWTPayload, now: number, seconds: number): Promise<string> {
    const { certificate, id, privateKey } = await this.#keys.signer()
    const iat = Math.floor(now / 1000)
    return new SignJWT({ ...claims, jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', typ, kid: id, x5c: [certificate] })
      .setIssuer(this.#names.issuer())
      .setIssuedAt(iat)
      .setNotBefore(iat)
      .setExpirationTime(iat + seconds)
      .sign(privateKey)
  }

  async #opened(typ: string, token: string, now: number): Promise<TokenClaims | undefined> {
    if (token.length > maxLength) return undefined
    const options = {
      algorithms: ['ES256'],
      typ,
      issuer: this.#names.issuer(),
      audience: this.#names.service(),
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: new Date(now),
      // The clocks of the servers of one store differ a little.
      clockTolerance: 5,
    }
    try {
      const { payload } = await jwtVerify(token, ({ kid = '' }) => this.#keyOf(kid), options)
      const { exp = 0, sub = '' } = payload
      const isScanner = payload.scanner === true
      return { principalId: sub, access: accessOf(payload.access), expireTime: exp * 1000, isScanner }
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }

  async #keyOf(kid: string) {
    const key = await this.#keys.verifier(kid)
    if (key === undefined) throw new errors.JWSSignatureVerificationFailed()
    return key
  }
}

/** Returns the grants of a token, whose signature proves their form. */
function accessOf(value: unknown): readonly Access[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).map(({ actions, name, type }) => ({
    type: String(type),
    name: String(name),
    actions: Array.isArray(actions) ? actions.map(String) : [],
  }))
}

/** Returns whether a token grants an action on a repository. */
export const grants = ({ access }: Pick<TokenClaims, 'access'>, name: string, action: string): boolean =>
  access.some(item => item.type === 'repository' && item.name === name && item.actions.includes(action))
