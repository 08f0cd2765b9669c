import { engineUnavailable } from '../../../output/shared/errors.ts'
import { parseJson } from '../../../runtime/json.ts'
import { limitExceeded } from '../../../domain/observability/promql/evaluation/query-budget.ts'
import { addressesOf, hostOf, systemResolver } from '../outbound/named-addresses.ts'
import { LargeBody, maxBodyBytes } from '../outbound/read-body.ts'
import { request } from '../outbound/request.ts'
import type { Member } from './member.ts'
import type { RequestCounts } from './stack-counts.ts'

/** A request to a member. */
export interface MemberRequest {
  /** The path after the address of the member, with a slash at its beginning. */
  readonly path: string
  readonly workspace: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** The longest time until the response has arrived whole, in milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Whether the caller decides how large the response is; absent: the member does. */
  readonly isQuery?: true
  /** Whether the member may refuse or lack the path: the statuses 401, 403 and 501 are then responses, and not errors. */
  readonly isOptional?: true
}

/** The response of a member. */
export interface MemberResponse {
  readonly status: number
  readonly body: Uint8Array
}

/** The statuses of a path that a member or a server in front of it does not serve. */
const refusals: ReadonlySet<number> = new Set([401, 403, 501])

/** The deepest nesting of JSON in a response. */
const maxDepth = 64

/**
 * Sends requests to a member of a stack, whose address the operator has set: it may be private. Redirections are not
 * followed. Errors name the engine and the setting, and neither the address nor text of the response.
 */
export class MemberClient {
  readonly member: Member
  readonly #counts: RequestCounts

  constructor(member: Member, counts: RequestCounts) {
    this.member = member
    this.#counts = counts
  }

  /**
   * Sends a request. Throws ENGINE_UNAVAILABLE without a whole response, and for a redirection, a refusal of the platform
   * itself, an error of the member and a response above 10 MiB; the last one is QUERY_LIMIT_EXCEEDED for a query.
   */
  async send(asked: MemberRequest): Promise<MemberResponse> {
    try {
      const response = await this.#request(asked)
      this.#counts.answered(this.member)
      return response
    } catch (error) {
      asked.signal?.throwIfAborted()
      this.#counts.failed(this.member)
      throw error
    }
  }

  /** Returns the value in a response of JSON. Throws ENGINE_UNAVAILABLE for other text. */
  json({ body }: MemberResponse): unknown {
    return this.#parsed(() => parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body), maxDepth))
  }

  /**
   * Returns the value in a response of JSON that has values of senders: of any depth, and with U+FFFD in place of bytes that
   * are not UTF-8. Code that recurses over a value must limit its depth. Throws ENGINE_UNAVAILABLE for other text.
   */
  jsonOfSenders({ body }: MemberResponse): unknown {
    return this.#parsed(() => parseJson(new TextDecoder().decode(body), Infinity))
  }

  /** The error of a member that does not do what its API says, as the end of a sentence. */
  unavailable(fault: string): Error {
    const { engine, setting } = this.member
    return engineUnavailable(`${setting} of the engine ${engine} ${fault}`, { retryAfterSeconds: 5 })
  }

  #parsed(parse: () => unknown): unknown {
    try {
      return parse()
    } catch {
      throw this.unavailable('answers with something else than JSON')
    }
  }

  async #request(asked: MemberRequest): Promise<MemberResponse> {
    const { body, headers, isOptional, isQuery = false, method = 'GET', path, signal, timeoutMs, workspace } = asked
    const { hasTenants, url } = this.member
    const target = new URL(url.replace(/\/+$/, '') + path)
    const tenant = hasTenants ? { 'x-scope-orgid': workspace } : {}
    const outbound = {
      method,
      url: target.href,
      headers: { ...headers, ...tenant },
      ...(body && { body }),
      timeoutMs,
      ...(signal && { signal }),
    }
    const response = await request(target, outbound, () => addressesOf(systemResolver, hostOf(target))).catch(error => {
      throw this.#failure(error, isQuery)
    })
    const { status } = response
    if (isOptional && refusals.has(status)) return response
    if (status >= 300 && status < 400) throw this.unavailable('answers with a redirection')
    if (status === 401 || status === 403) throw this.unavailable('refuses the platform')
    if (status === 429 || (status >= 500 && status !== 503)) throw this.unavailable(`answers with status ${status}`)
    return response
  }

  #failure(error: unknown, isQuery: boolean): Error {
    const cause = error instanceof Error ? error.cause : undefined
    if (cause instanceof LargeBody && isQuery)
      return limitExceeded('bytes', `an answer of the engine may have ${maxBodyBytes} bytes; ask for less`)
    return this.unavailable(`does not answer: ${error instanceof Error ? error.message : 'the request failed'}`)
  }
}
