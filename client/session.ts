import type { TokenResponse } from '../output/iam/types.ts'
import type { TokenProvider } from '../runtime/transport.ts'
import { ApiError } from '../runtime/errors.ts'
import { realTiming } from '../runtime/retry.ts'
import type { Timing } from '../runtime/retry.ts'

/** The tokens of a session, as JSON can store them. The tokens act for the user: store them like a password. */
export interface SessionTokens {
  readonly access_token: string
  /** The time at which the access token expires, in RFC 3339, by the clock of this machine. */
  readonly expire_time: string
  /** The token for the next refresh, which works once; absent for service accounts. */
  readonly refresh_token?: string
  /** The id of the user or service account. */
  readonly principal_id: string
}

/**
 * A signed-in session. A session supplies `bearer` with tokens, and any number of transports and concurrent calls may
 * share a session.
 */
export interface Session extends TokenProvider {
  /** The newest tokens; after the end of the session, its last tokens. */
  readonly tokens: SessionTokens
  /** Replaces the tokens now. Concurrent callers share one request. Rejects with the server's `ApiError`. */
  refresh(): Promise<void>
  /** Ends the session on the server too. Afterwards, `token` and `refresh` reject with SESSION_ENDED. */
  signOut(): Promise<void>
}

/** The options of a session. */
export interface SessionOptions {
  /**
   * Receives each new set of tokens before any caller gets it, and `undefined` at the end of the session. The session
   * awaits the returned promise. A refresh token works once, so an application that stores tokens must store the
   * newest.
   */
  readonly onChange?: (tokens: SessionTokens | undefined) => void | Promise<void>
}

/** The requests in which a session of a user differs from a session of a service account. */
export interface SessionSource {
  /** Requests the tokens that replace `last` from the server. */
  next(last: SessionTokens): Promise<SessionTokens>
  /** Revokes the tokens on the server. */
  end(last: SessionTokens): Promise<void>
  /** Returns the current time in milliseconds since 1970. */
  readonly now: Timing['now']
}

/** The reasons after which the session requests no more tokens, because the server would refuse each request. */
const finalReasons: ReadonlySet<string> = new Set(['REFRESH_TOKEN_INVALID', 'SESSION_ENDED'])

/**
 * The time before its expiry at which a token is renewed, in milliseconds; a tenth of the remaining lifetime if that is
 * shorter.
 */
const marginMs = 60_000

/** The error of calls after a sign-out. */
const sessionEnded = { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' } as const

/**
 * Returns the tokens of a response. `askedMs` is the time of the request in milliseconds since 1970, so the expiry is
 * never later than the server's.
 */
export function tokensOf(answer: TokenResponse, askedMs: number): SessionTokens {
  const { access_token, expires_in, principal_id, refresh_token } = answer
  return {
    access_token,
    expire_time: new Date(askedMs + expires_in * 1000).toISOString(),
    ...(refresh_token !== undefined && { refresh_token }),
    principal_id,
  }
}

/** Starts a session from its first tokens and the source of the next tokens. */
export const startSession = (tokens: SessionTokens, source: SessionSource, options: SessionOptions = {}): Session =>
  new RenewedSession(tokens, source, options)

class RenewedSession implements Session {
  #tokens: SessionTokens
  #renewAtMs: number
  #renewing: Promise<void> | undefined
  #end: ApiError | undefined
  readonly #source: SessionSource
  readonly #options: SessionOptions

  constructor(tokens: SessionTokens, source: SessionSource, options: SessionOptions) {
    this.#tokens = tokens
    this.#source = source
    this.#options = options
    this.#renewAtMs = this.#renewalOf(tokens)
  }

  get tokens(): SessionTokens {
    return this.#tokens
  }

  async token(): Promise<string> {
    if (this.#end) throw this.#end
    if (this.#source.now() >= this.#renewAtMs) await this.#renewEarly()
    return this.#tokens.access_token
  }

  async refresh(): Promise<void> {
    if (this.#end) throw this.#end
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  async signOut(): Promise<void> {
    if (this.#end) return
    // A refresh in progress would return tokens that outlive the session.
    await this.#renewing?.catch(() => {})
    await this.#source.end(this.#tokens)
    await this.#finish(new ApiError(sessionEnded, 'the session was signed out; sign in again'))
  }

  /** Renews before the expiry. If the server is unreachable, the access token stays usable until it expires. */
  async #renewEarly(): Promise<void> {
    try {
      await this.refresh()
    } catch (error) {
      if (this.#end || this.#source.now() >= Date.parse(this.#tokens.expire_time)) throw error
    }
  }

  async #renew(): Promise<void> {
    try {
      this.#tokens = await this.#source.next(this.#tokens)
    } catch (error) {
      if (error instanceof ApiError && finalReasons.has(error.reason)) await this.#finish(error)
      throw error
    }
    this.#renewAtMs = this.#renewalOf(this.#tokens)
    await this.#options.onChange?.(this.#tokens)
  }

  async #finish(error: ApiError): Promise<void> {
    this.#end = error
    await this.#options.onChange?.(undefined)
  }

  #renewalOf({ expire_time }: SessionTokens): number {
    const endMs = Date.parse(expire_time)
    // An unreadable expiry time makes the session renew at once.
    if (Number.isNaN(endMs)) return 0
    return endMs - Math.min(marginMs, Math.max(0, endMs - this.#source.now()) / 10)
  }
}

/** Returns the clock of a transport, or the clock of the machine. */
export const clockOf = ({ timing }: { readonly timing?: Partial<Timing> }): Timing['now'] =>
  timing?.now ?? realTiming.now
