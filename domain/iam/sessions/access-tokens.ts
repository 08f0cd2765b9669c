import { errors, jwtVerify, type JWTPayload, type JWTHeaderParameters } from 'jose'
import { tokenExpired, tokenInvalid } from '../../../output/iam/errors.ts'
import { isUuid } from '../../../runtime/formats.ts'
import type { IamSettings } from '../interfaces/iam-environment.ts'
import type { SigningKeys } from './signing-keys.ts'
import { accessTokenMs } from '../values/token-lives.ts'

const audience = 'ninefold'
const type = 'at+jwt'

/** The tolerated difference between the clocks of servers, in seconds. */
const leewaySeconds = 30

/** The maximal number of characters of a token. */
export const maxLength = 2048

/**
 * The pattern of a JWS with an Ed25519 signature of 64 bytes. The last of the 86 characters of the signature has four
 * unused bits, which must be zero.
 */
const shape = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

/** The subject of an access token. */
export interface TokenSubject {
  readonly principalId: string
  readonly kind: 'USER' | 'SERVICE_ACCOUNT'
  /** The id of the session, or of the token family of a service account. */
  readonly sessionId: string
}

/** A verified access token. */
export interface VerifiedToken extends TokenSubject {
  /** The expiry, in milliseconds since 1970. */
  readonly expireTime: number
}

/**
 * Creates and verifies access tokens: JWTs that are valid for 900 seconds (RFC 9068). The server that creates a token
 * signs it by EdDSA (iam.md 4.7).
 */
export class AccessTokens {
  readonly #keys: SigningKeys
  readonly #settings: Pick<IamSettings, 'baseUrl'>

  constructor(keys: SigningKeys, settings: Pick<IamSettings, 'baseUrl'>) {
    this.#keys = keys
    this.#settings = settings
  }

  /** Prepares the signing key. Await `ready` before `mint`, outside of transactions. */
  ready(): Promise<void> {
    return this.#keys.ready()
  }

  /**
   * Returns a new access token. `mint` is synchronous, so that transactions can call it. `now` is in milliseconds since
   * 1970. Throws before `ready`.
   */
  mint({ kind, principalId, sessionId }: TokenSubject, now: number): string {
    const iat = Math.floor(now / 1000)
    const exp = iat + accessTokenMs / 1000
    const jti = crypto.randomUUID()
    const claims = { iss: this.#settings.baseUrl, aud: audience, sub: principalId, sid: sessionId, kind, iat, exp, jti }
    const [text, signature] = this.#keys.sign(kid => `${part({ alg: 'EdDSA', typ: type, kid })}.${part(claims)}`)
    return `${text}.${signature.toString('base64url')}`
  }

  /**
   * Verifies a token and returns its subject and expiry. Throws TOKEN_INVALID, or TOKEN_EXPIRED for a valid but expired
   * token. Does not check revocations. `now` is in milliseconds since 1970.
   */
  async verify(token: string, now: number): Promise<VerifiedToken> {
    if (token.length > maxLength || !shape.test(token)) throw invalid()
    const { payload, protectedHeader } = await this.#opened(token, now)
    if (protectedHeader.typ !== type || protectedHeader.crit !== undefined) throw invalid()
    return subjectOf(payload, now) ?? fail()
  }

  async #opened(token: string, now: number) {
    const options = {
      algorithms: ['EdDSA'],
      typ: type,
      issuer: this.#settings.baseUrl,
      audience,
      requiredClaims: ['sub', 'sid', 'kind', 'iat', 'exp', 'jti'],
      currentDate: new Date(now),
    }
    try {
      return await jwtVerify(token, (header: JWTHeaderParameters) => this.#keyOf(header), options)
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenExpired('the access token has expired; refresh it')
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw invalid()
      throw error
    }
  }

  async #keyOf({ kid }: JWTHeaderParameters) {
    const key = typeof kid === 'string' ? await this.#keys.find(kid) : undefined
    return key ?? fail()
  }
}

function subjectOf(payload: JWTPayload, now: number): VerifiedToken | undefined {
  const { exp = 0, iat = Infinity, kind, sid, sub = '' } = payload
  if (kind !== 'USER' && kind !== 'SERVICE_ACCOUNT') return undefined
  if (typeof sid !== 'string' || !isUuid(sid) || !isUuid(sub)) return undefined
  if (iat > now / 1000 + leewaySeconds || exp - iat > accessTokenMs / 1000) return undefined
  return { principalId: sub, kind, sessionId: sid, expireTime: exp * 1000 }
}

const part = (members: object): string => Buffer.from(JSON.stringify(members)).toString('base64url')

const invalid = () => tokenInvalid('the access token is not valid; sign in again')

function fail(): never {
  throw invalid()
}
