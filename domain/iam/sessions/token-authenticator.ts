import { LRUCache } from 'lru-cache'
import { tokenExpired, tokenInvalid, tokenMissing, tokenRevoked } from '../../../output/iam/errors.ts'
import type { Principal } from '../../../runtime/context.ts'
import { ApiError } from '../../../runtime/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Taxonomy } from '../../ports/taxonomy.ts'
import { maxLength, type AccessTokens, type VerifiedToken } from './access-tokens.ts'
import type { Decisions } from '../interfaces/decisions.ts'
import type { ChangeKind } from '../interfaces/feed.ts'
import { HomeStates } from '../decisions/home-workspace-states.ts'
import { entryLimit } from '../decisions/loading-cache.ts'
import { principals } from '../collections/principals-store.ts'
import { RevokedSessions } from './revoked-sessions.ts'

const maxVerified = 20_000
const maxRefused = 5000

/** The time in milliseconds after which an invalid token is verified again: another server may have made its key. */
const invalidMs = 1000

/** The parts of the authenticator. */
export interface AuthenticatorServices {
  readonly store: Store
  readonly clock: Clock
  readonly taxonomy: Taxonomy
  readonly decisions: Pick<Decisions, 'isActive'>
  readonly accessTokens: AccessTokens
}

/** A token with a verified signature. */
interface Known {
  readonly principal: Principal
  readonly sessionId: string
  readonly expireTime: number
  /** The workspace of a service account; empty for users. */
  readonly workspace: string
}

/**
 * Finds the principal of a bearer token (iam.md 4.7). A cached token needs no signature check, and the store is read
 * only for a principal or a workspace state that is not cached. The expiry, session and principal of a cached token are
 * checked at every call.
 */
export class Authenticator {
  readonly #parts: AuthenticatorServices
  /** The verified tokens, keyed by their Authorization header. */
  readonly #known = new LRUCache<string, Known>(entryLimit(maxVerified))
  /**
   * The errors of tokens that were refused at their verification, keyed like `#known`. Without this cache, a refused
   * call would cost a signature check, which costs several times as much as an admitted call.
   */
  readonly #refused = new LRUCache<string, ApiError>(entryLimit(maxRefused))
  readonly #revoked: RevokedSessions
  readonly #homes: HomeStates
  #isBehind = false
  #resets = 0
  #catchingUp: Promise<void> | undefined

  constructor(parts: AuthenticatorServices) {
    this.#parts = parts
    this.#revoked = new RevokedSessions(parts)
    this.#homes = new HomeStates(parts)
  }

  /** Reads the revocations of the past. Await `start` after the feed has started and before the first call. */
  async start(): Promise<void> {
    await this.#revoked.load()
  }

  /** Applies a change of the feed, at its commit or when the change of another server is read. */
  changed(kind: ChangeKind, key: string): void {
    if (kind === 'SESSION') this.onSessionRevoked(key)
    if (kind === 'SCOPE') this.#homes.forget()
  }

  /**
   * Clears the cached workspace states after the feed has missed changes. Every call waits until the revocations are
   * read again.
   */
  reset(): void {
    this.#homes.forget()
    this.#isBehind = true
    this.#resets += 1
  }

  /** Refuses the access tokens of a session from this moment on. */
  onSessionRevoked(session: string): void {
    this.#revoked.add(session)
  }

  /**
   * Returns the principal of the Authorization header. Rejects with TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED or
   * TOKEN_REVOKED.
   */
  authenticate(authorization: string | undefined): Promise<Principal> {
    if (authorization === undefined) return Promise.reject(missing())
    if (this.#isBehind) return this.#catchUp().then(() => this.authenticate(authorization))
    // The cache is keyed by the header, so a cached header need not be parsed.
    const known = this.#known.get(authorization)
    if (known !== undefined) return this.#admit(known)
    const token = bearerOf(authorization)
    if (token === undefined) return Promise.reject(invalidHeader())
    const same = this.#known.get(headerOf(token))
    if (same !== undefined) return this.#admit(same)
    const refused = this.#refused.get(headerOf(token))
    return refused === undefined ? this.#verify(token) : Promise.reject(refused)
  }

  /**
   * Rejects with TOKEN_REVOKED if a caller that was admitted would be refused now: its session has ended, or the
   * principal or its home is not active. A token that has only expired since the beginning of the call is accepted.
   */
  async requireLive(principal: Principal): Promise<void> {
    if (this.#isBehind) await this.#catchUp()
    if (principal.sessionId !== undefined && this.#revoked.has(principal.sessionId)) throw revoked()
    if (!(await this.#parts.decisions.isActive(principal.id))) throw revoked()
  }

  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#load().finally(() => (this.#catchingUp = undefined))
    return this.#catchingUp
  }

  /** Reads the revocations; a reset during the read causes another read. */
  async #load(): Promise<void> {
    const resets = this.#resets
    await this.#revoked.load()
    if (resets === this.#resets) this.#isBehind = false
  }

  async #verify(token: string): Promise<Principal> {
    const { store } = this.#parts
    const { expireTime, kind, principalId: id, sessionId } = await this.#opened(token)
    const isAccount = kind === 'SERVICE_ACCOUNT'
    const workspace = isAccount ? (await store.get(principals, id))?.value.workspace_id : ''
    if (workspace === undefined) throw revoked()
    const principal: Principal = { id, kind: isAccount ? 'service_account' : 'user', sessionId }
    const known = { principal, sessionId, expireTime, workspace }
    this.#known.set(headerOf(token), known)
    return this.#admit(known)
  }

  async #opened(token: string): Promise<VerifiedToken> {
    const { accessTokens, clock } = this.#parts
    try {
      return await accessTokens.verify(token, clock.now())
    } catch (error) {
      if (error instanceof ApiError && token.length <= maxLength) {
        const isFinal = error.reason === 'TOKEN_EXPIRED'
        this.#refused.set(headerOf(token), error, isFinal ? {} : { ttl: invalidMs })
      }
      throw error
    }
  }

  #admit({ expireTime, principal, sessionId, workspace }: Known): Promise<Principal> {
    if (this.#parts.clock.now() >= expireTime) return Promise.reject(expired())
    if (this.#revoked.has(sessionId)) return Promise.reject(revoked())
    const home = workspace === '' || this.#homes.isActive(workspace)
    return this.#parts.decisions.isActive(principal.id).then(isActive => {
      if (!isActive || home === false) throw revoked()
      return home === true ? principal : this.#atHome(home, principal)
    })
  }

  async #atHome(home: Promise<boolean>, principal: Principal): Promise<Principal> {
    if (await home) return principal
    throw revoked()
  }
}

/** Returns the header under which a token is cached, regardless of the spelling of the scheme. */
const headerOf = (token: string): string => `Bearer ${token}`

/** Returns the bearer token in a header (RFC 6750); undefined for another scheme or a malformed token. */
function bearerOf(header: string): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
}

const missing = () => tokenMissing('this call needs a token: send "Authorization: Bearer <token>"')
const invalidHeader = () => tokenInvalid('the header Authorization must be "Bearer <token>"')
const expired = () => tokenExpired('the access token has expired; refresh it')
const revoked = () => tokenRevoked('the session was ended, or its principal is not active; sign in again')
