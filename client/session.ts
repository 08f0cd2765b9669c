import type { TokenResponse } from '../output/iam/types.ts'
import type { TokenProvider } from '../runtime/transport.ts'
import { ApiError } from '../runtime/errors.ts'
import { realTiming } from '../runtime/retry.ts'
import type { Timing } from '../runtime/retry.ts'

/** What a session is kept as, JSON; whoever has it is who signed in, so it is kept as a password is. */
export interface Tokens {
  readonly access_token: string
  /** When the access token ends, RFC 3339, by the clock of this machine. */
  readonly expire_time: string
  /** What the next tokens are got with, once; absent for service accounts. */
  readonly refresh_token?: string
  /** The user or service account. */
  readonly principal_id: string
}

/** Who signed in: gives `bearer` its tokens, and may be shared by any number of transports and calls. */
export interface Session extends TokenProvider {
  /** The newest tokens, the last ones after the session has ended. */
  readonly tokens: Tokens
  /** Gets new tokens now, once for all who ask meanwhile. Rejects with the server's `ApiError`. */
  refresh(): Promise<void>
  /** Ends the session on the server too; from then on `token` and `refresh` reject with SESSION_ENDED. */
  signOut(): Promise<void>
}

export interface SessionOptions {
  /**
   * Told the tokens whenever they have changed, before anybody is given them, and `undefined` when the session has ended;
   * its promise is waited for. A refresh token works once, so who keeps tokens keeps the newest.
   */
  readonly onChange?: (tokens: Tokens | undefined) => void | Promise<void>
}

/** What a session of users does differently from one of service accounts. */
export interface SessionSource {
  /** Asks the server for the tokens after these. */
  next(last: Tokens): Promise<Tokens>
  /** Tells the server that nobody will use these any more. */
  end(last: Tokens): Promise<void>
  /** Milliseconds since 1970. */
  readonly now: Timing['now']
}

/** After these a session gets no more tokens: asking again would be refused again. */
const finalReasons: ReadonlySet<string> = new Set(['REFRESH_TOKEN_INVALID', 'SESSION_ENDED'])

/** An access token is renewed this long before it ends, of short ones a tenth of their time before. */
const marginMs = 60_000

/** What calls are refused with after the end of a session that was signed out. */
const sessionEnded = { reason: 'SESSION_ENDED', rpc: 'UNAUTHENTICATED' } as const

/** The tokens of an answer; `askedMs` is when it was asked for, so that they never seem to last longer than they do. */
export function tokensOf(answer: TokenResponse, askedMs: number): Tokens {
  const { access_token, expires_in, principal_id, refresh_token } = answer
  return {
    access_token,
    expire_time: new Date(askedMs + expires_in * 1000).toISOString(),
    ...(refresh_token !== undefined && { refresh_token }),
    principal_id,
  }
}

/** Makes a session of tokens and of where the next ones come from. */
export const startSession = (tokens: Tokens, source: SessionSource, options: SessionOptions = {}): Session =>
  new RenewedSession(tokens, source, options)

class RenewedSession implements Session {
  #tokens: Tokens
  #renewAtMs: number
  #renewing: Promise<void> | undefined
  #end: ApiError | undefined
  readonly #source: SessionSource
  readonly #options: SessionOptions

  constructor(tokens: Tokens, source: SessionSource, options: SessionOptions) {
    this.#tokens = tokens
    this.#source = source
    this.#options = options
    this.#renewAtMs = this.#renewalOf(tokens)
  }

  get tokens(): Tokens {
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
    // Tokens that are on their way would live on.
    await this.#renewing?.catch(() => {})
    await this.#source.end(this.#tokens)
    await this.#finish(new ApiError(sessionEnded, 'the session was signed out; sign in again'))
  }

  /** While the access token holds, a server that cannot be reached just now keeps nobody from using it. */
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

  #renewalOf({ expire_time }: Tokens): number {
    const endMs = Date.parse(expire_time)
    // Of a time that cannot be read nothing is known: the tokens are renewed at once.
    if (Number.isNaN(endMs)) return 0
    return endMs - Math.min(marginMs, Math.max(0, endMs - this.#source.now()) / 10)
  }
}

/** The clock of a transport, or of the machine. */
export const clockOf = ({ timing }: { readonly timing?: Partial<Timing> }): Timing['now'] =>
  timing?.now ?? realTiming.now
