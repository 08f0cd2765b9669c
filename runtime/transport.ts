import { ApiError, clientReasons } from './errors.ts'
import type { Written } from './parameters/write.ts'
import { readAnswer, readErrorBody } from './reply.ts'
import { createBudget, persist, realTiming, within } from './retry.ts'
import type { Timing } from './retry.ts'
import type { ClientRoute } from './route.ts'
import { fromStatus } from './status.ts'

const keyHeader = 'idempotency-key'

/**
 * The options for calls to one server, shared by any number of clients and calls. `createTransport` makes a transport.
 * `{ baseUrl }` alone is a transport that tries each call once and sends no token.
 */
export interface Transport {
  /** The prefix of every path: `https://api.example.com`, or `''` in a browser for the page's own origin. */
  readonly baseUrl: string
  /**
   * The base URLs of operations whose document gives them servers of their own, by operationId, or one for them all.
   * Such a server is the caller's choice and receives the token and the headers of this transport.
   */
  readonly servers?: string | Readonly<Record<string, string>>
  /** The `fetch` function; the platform's by default. */
  readonly fetch?: typeof fetch
  /** The time limit in milliseconds of a whole call with its retries; 60,000 by default. */
  readonly timeoutMs?: number
  /** The headers of every call, such as `user-agent`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The clock and the timer; by default `realTiming`. */
  readonly timing?: Partial<Timing>
  /** Runs the attempts of a call; each invocation of `run` makes one attempt. */
  readonly policy?: <Result>(call: ClientCall, run: () => Promise<Result>) => Promise<Result>
}

/** A call before its first attempt. */
export interface ClientCall extends Outgoing {
  readonly route: ClientRoute<unknown, unknown>
  readonly timeoutMs: number
  readonly retry?: false
}

/** The options of `createTransport`. */
export interface TransportOptions extends Omit<Transport, 'policy'> {
  /** A fixed token, sent as `Authorization: Bearer` except to public operations. */
  readonly token?: string
  /** Authorizes the calls in place of a fixed token; `bearer` makes this function from a token provider. */
  readonly authorize?: Authorize
  /** The number of retries, 3 by default; `send` defines which calls are retried. */
  readonly retries?: number
}

/** Adds the credentials to the headers and runs an attempt. May run the attempt again if `isRepeatable` is true. */
export type Authorize = <T>(headers: Headers, isRepeatable: boolean, run: () => Promise<T>) => Promise<T>

/** The options of one call. */
export interface CallOptions {
  /** The signal that ends the call, which then rejects with the signal's reason. A streamed answer ends too. */
  readonly signal?: AbortSignal
  /** The time limit of this call with its retries, in place of the transport's. */
  readonly timeoutMs?: number
  /**
   * The idempotency key: 1 to 128 visible ASCII characters. If absent, operations that change a resource get a new key
   * (conventions §6).
   */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly retry?: false
  /** Receives the headers of a success answer; must not throw. */
  readonly onHeaders?: (headers: Headers) => void
}

/** Returns a transport that authorizes its calls and retries them. */
export function createTransport(options: TransportOptions): Transport {
  const { authorize, retries = 3, token, ...where } = options
  const timing = { ...realTiming, ...options.timing }
  const budget = createBudget()
  return {
    ...where,
    policy({ body, headers, retry, route, signal, timeoutMs }, run) {
      const { access, method } = route
      const isOpen = access?.kind === 'public' && access.bearerOptional !== true
      const isAnonymous = isOpen || headers.has('authorization')
      if (!isAnonymous && token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const isRepeatable = !(body instanceof ReadableStream)
      const isSafe = method === 'GET' || method === 'HEAD' || headers.has(keyHeader)
      return persist(authorize && !isAnonymous ? () => authorize(headers, isRepeatable, run) : run, {
        retries: isSafe && isRepeatable && retry !== false ? retries : 0,
        deadline: timing.now() + timeoutMs,
        signal,
        budget,
        timing,
      })
    },
  }
}

/**
 * Makes one call. Rejects with `ApiError` for an error answer, without an answer (CONNECTION_FAILED,
 * DEADLINE_EXCEEDED), and for an undeclared answer (ANSWER_INVALID). Lost connections, UNAVAILABLE, and 429 with a
 * delay are retried if a repetition is safe: GET, HEAD, and any call with an Idempotency-Key, but never a streamed
 * body. A plain `{ baseUrl }` retries no call.
 */
export async function send<Request extends object, Result>(
  transport: Transport,
  route: ClientRoute<Request, Result>,
  request: NoInfer<Request>,
  options: CallOptions = {},
): Promise<Result> {
  const { mode = 'data', operationId } = route
  const { timeoutMs = transport.timeoutMs ?? 60_000 } = options
  return within(timeoutMs, operationId, options.signal, async signal => {
    const outgoing = writeRequest(route, request, signal)
    const { headers } = outgoing
    const { idempotencyKey = mode === 'data' ? undefined : crypto.randomUUID() } = options
    const given = { ...transport.headers, ...options.headers }
    for (const [name, value] of Object.entries(given)) headers.set(name, value)
    if (idempotencyKey !== undefined && !headers.has(keyHeader)) headers.set(keyHeader, idempotencyKey)
    const run = () => attempt(transport, route, outgoing, options)
    return transport.policy ? transport.policy({ ...options, ...outgoing, route, timeoutMs }, run) : run()
  })
}

/**
 * Returns the transport to the operation's own server: the one of `servers`, otherwise the one of the document, relative
 * to `baseUrl` (RFC 3986 §5). A server of the document with another origin than `baseUrl` receives neither the
 * transport's headers nor `Authorization` or `Cookie`. Throws `TypeError` if no URL results.
 */
export function onServer(
  transport: Transport,
  { operationId, server = '' }: Pick<ClientRoute<unknown, unknown>, 'operationId' | 'server'>,
): Transport {
  const { fetch: call = fetch, servers = {} } = transport
  const [base, page] = [transport.baseUrl.replace(/\/?$/, '/'), globalThis.location?.href]
  const origin = URL.canParse(base, page) ? new URL(base, page) : undefined
  const named = typeof servers === 'string' ? servers : new Map(Object.entries(servers)).get(operationId)
  const url = new URL(named ?? server, origin)
  const there = { ...transport, baseUrl: url.href }
  if (named !== undefined || url.origin === origin?.origin) return there
  return {
    ...there,
    headers: {},
    fetch: (target, init) => {
      const headers = new Headers(init?.headers)
      for (const name of ['authorization', 'cookie']) headers.delete(name)
      return call(target, { ...init, headers })
    },
  }
}

async function attempt<Result>(
  { baseUrl, fetch: call = fetch, timing }: Transport,
  route: ClientRoute<unknown, Result>,
  { target, ...init }: Outgoing,
  { onHeaders }: CallOptions,
): Promise<Result> {
  const { method, operationId, replies, success } = route
  const sent: RequestInit & { readonly duplex: 'half' } = { ...init, ...route.init, method, duplex: 'half' }
  try {
    const answer = await call(baseUrl.replace(/\/$/, '') + target, sent)
    const isSuccess = answer.ok || answer.status === success[0].status
    const value = replies ? replies(route, answer) : isSuccess && readAnswer(method, success[0].kind, answer)
    if (!value) throw fromStatus(answer, await readErrorBody(answer), timing?.now?.())
    onHeaders?.(answer.headers)
    // The document promises the type; answers are open, so their values are not checked.
    return (await value) as Result
  } catch (error) {
    init.signal.throwIfAborted()
    if (error instanceof ApiError) throw error
    const [reason, missing] =
      error instanceof SyntaxError ? (['ANSWER_INVALID', 'JSON'] as const) : (['CONNECTION_FAILED', 'answer'] as const)
    const failed = new ApiError(clientReasons[reason], `${operationId} got no ${missing}: ${error}`)
    throw Object.assign(failed, { cause: error })
  }
}

/** The source of a client's bearer tokens. */
export interface TokenProvider {
  /** Returns the token. A transport calls `token` before every attempt, so a provider should cache its token. */
  token(): Promise<string>
  /** Renews the token. A transport calls `refresh` if the server answers TOKEN_EXPIRED, once for all waiting calls. */
  refresh?(): Promise<unknown>
}

/**
 * Returns a function that sends the tokens of a provider: `createTransport({ baseUrl, authorize: bearer(provider) })`.
 */
export function bearer(provider: TokenProvider): Authorize {
  let renewing: Promise<unknown> | undefined

  async function renew(expired: string): Promise<boolean> {
    if (!provider.refresh) return false
    if (!renewing && (await provider.token()) !== expired) return true
    renewing ??= provider.refresh().finally(() => (renewing = undefined))
    await renewing
    return true
  }

  return async (headers, isRepeatable, run) => {
    const token = await provider.token()
    headers.set('authorization', `Bearer ${token}`)
    try {
      return await run()
    } catch (error) {
      if (!isRepeatable || !isExpired(error) || !(await renew(token))) throw error
      headers.set('authorization', `Bearer ${await provider.token()}`)
      return run()
    }
  }
}

const isExpired = (error: unknown): boolean =>
  error instanceof ApiError && error.response?.status === 401 && error.reason === 'TOKEN_EXPIRED'

/** A request without the token and the server's address. */
export interface Outgoing extends Readonly<Pick<Written, 'headers' | 'body' | 'signal'>> {
  /** The path and the query. */
  readonly target: string
}

const json = 'application/json'

/**
 * Writes a request in the form that servers read. Throws `TypeError` for a value that cannot be written, such as an
 * empty path parameter. `signal` ends a streamed body.
 */
export function writeRequest(route: ClientRoute<unknown, unknown>, request: object, signal: AbortSignal): Outgoing {
  const { body, parameters = [], success } = route
  // A parameter may have the name of an inherited member.
  const members: Readonly<Record<string, unknown>> = { __proto__: null, ...request }
  // Errors are JSON for any type of success.
  const accepted = new Set([...success.map(({ type = json }) => type), json])
  const headers = new Headers({ accept: [...accepted].join(', ') })
  const written: Written = { path: new Map(), query: '', headers, body: null, signal }
  for (const parameter of parameters) parameter.write(parameter, members[parameter.member ?? parameter.name], written)
  if (members.body !== undefined) body?.write(body, members.body, written)
  const path = route.path.map((part, index) => {
    const text = index % 2 === 0 ? part : written.path.get(part)
    if (text === undefined) throw new TypeError(`path parameter "${part}" is not declared`)
    return text
  })
  return { target: path.join('') + written.query, headers, body: written.body, signal }
}
