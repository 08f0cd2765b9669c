import { ApiError, clientReasons } from './errors.ts'
import type { Written } from './parameters/write.ts'
import { readAnswer, readErrorBody } from './reply.ts'
import { createBudget, persist, realTiming, within } from './retry.ts'
import type { Timing } from './retry.ts'
import type { ClientRoute } from './route.ts'
import { fromStatus } from './status.ts'

const keyHeader = 'idempotency-key'

/**
 * How calls reach one server, shared by any number of clients and calls: made by `createTransport`, or written as
 * `{ baseUrl }`, which tries each call once and knows no token.
 */
export interface Transport {
  /** What stands before every path: `https://api.example.com`, or `''` in a browser for the page's own origin. */
  readonly baseUrl: string
  /** The platform's `fetch` when absent. */
  readonly fetch?: typeof fetch
  /** For a whole call with its retries; 60,000 when absent. */
  readonly timeoutMs?: number
  /** Sent with every call, such as `user-agent`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The machine's own where absent. */
  readonly timing?: Partial<Timing>
  /** Runs the tries of a call; each is `run`. */
  readonly policy?: <Result>(call: Call, run: () => Promise<Result>) => Promise<Result>
}

/** A call that is about to be made. */
export interface Call extends Outgoing {
  readonly route: ClientRoute<unknown, unknown>
  readonly timeoutMs: number
  readonly retry?: false
}

export interface TransportOptions extends Omit<Transport, 'policy'> {
  /** Sent as `Authorization: Bearer`, but not on public operations. */
  readonly token?: string
  /** Instead of a token that never changes; `bearer` makes one of a provider. */
  readonly authorize?: Authorize
  /** Tries after the first, 3 when absent; what is retried: `send`. */
  readonly retries?: number
}

/** Puts what shows who calls into the headers and runs a try; may run it again where it is repeatable. */
export type Authorize = <T>(headers: Headers, isRepeatable: boolean, run: () => Promise<T>) => Promise<T>

export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. A stream of bytes that was answered ends too. */
  readonly signal?: AbortSignal
  /** For this call with its retries, instead of the transport's. */
  readonly timeoutMs?: number
  /** 1 to 128 visible ASCII characters; absent: a new one on operations that change something (conventions §6). */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly retry?: false
  /** Told the headers of an answer that is a success; must not throw. */
  readonly onHeaders?: (headers: Headers) => void
}

/** A transport that authorizes its calls and tries them again. */
export function createTransport(options: TransportOptions): Transport {
  const { authorize, retries = 3, token, ...where } = options
  const timing = { ...realTiming, ...options.timing }
  const budget = createBudget()
  return {
    ...where,
    policy({ body, headers, retry, route, signal, timeoutMs }, run) {
      const { access, method } = route
      const isAnonymous = access?.kind === 'public' || headers.has('authorization')
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
 * Makes one call. Rejects with `ApiError` when the server answers an error, when no answer comes (CONNECTION_FAILED,
 * DEADLINE_EXCEEDED) or when it is not what was declared (ANSWER_INVALID). Lost connections, UNAVAILABLE, and 429 with
 * a time to wait are retried where a repetition is safe: GET, HEAD, and whatever carries an Idempotency-Key; a body that
 * is a stream never is. Over a plain `{ baseUrl }` nothing is retried.
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

async function attempt<Result>(
  { baseUrl, fetch: call = fetch, timing }: Transport,
  route: ClientRoute<unknown, Result>,
  { target, ...init }: Outgoing,
  { onHeaders }: CallOptions,
): Promise<Result> {
  const { method, operationId, replies, success } = route
  const sent: RequestInit & { readonly duplex: 'half' } = { ...init, method, duplex: 'half' }
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

/** Where a client's bearer tokens come from. */
export interface TokenProvider {
  /** The token to send; asked before every try, so it should be cached. */
  token(): Promise<string>
  /** Makes `token` give a new one. Called when the server answers TOKEN_EXPIRED, once for all calls that wait for it. */
  refresh?(): Promise<unknown>
}

/** Sends the tokens of a provider: `createTransport({ baseUrl, authorize: bearer(provider) })`. */
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

/** A request as it goes out, but for the token and the server's address. */
export interface Outgoing extends Readonly<Pick<Written, 'headers' | 'body' | 'signal'>> {
  /** Path and query. */
  readonly target: string
}

const json = 'application/json'

/**
 * Writes a request: the inverse of what the server reads. Throws `TypeError` where a value cannot be written, such as
 * an empty path parameter. `signal` ends it.
 */
export function writeRequest(route: ClientRoute<unknown, unknown>, request: object, signal: AbortSignal): Outgoing {
  const { body, parameters = [], success } = route
  // A parameter may be called like what every object inherits.
  const members: Readonly<Record<string, unknown>> = { __proto__: null, ...request }
  // Errors are JSON whatever the success is.
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
