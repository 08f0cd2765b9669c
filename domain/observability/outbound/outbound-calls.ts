/** Where a URL without TLS may lead: to all addresses that are allowed, or to addresses of the setting alone. */
export type PlainHttp = 'allowed' | 'to-private-targets'

/** A request to an address that a caller of the platform has named. */
export interface OutboundRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Where the URL may lead without TLS; absent: `allowed`. */
  readonly http?: PlainHttp
  /** The longest time in milliseconds until the response has arrived whole. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** The response; a redirection is returned and not followed. */
export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body, after its content coding is undone. */
  readonly body: Uint8Array
}

/**
 * Requests to addresses that callers have named (observability.md 4.7): loopback, link-local and private addresses are
 * refused unless the setting `observability.allow_private_targets` has them. Bodies of responses have at most 10 MiB.
 */
export interface OutboundCalls {
  /**
   * Returns why the platform sends no request to a URL, as the end of a sentence; undefined if it does, or if the name
   * of its host has no address now.
   */
  refusal(url: string, http: PlainHttp): Promise<string | undefined>
  /** Sends a request, and checks the address to which it connects. Rejects with an Error that names no secret. */
  send(request: OutboundRequest): Promise<OutboundResponse>
}
