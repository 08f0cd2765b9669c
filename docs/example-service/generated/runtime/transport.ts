// Copied by ninefold. Do not edit: generate writes it again.

import { readAnswer, readErrorBody, writeRequest } from './client-wire.ts'
import type { Outgoing } from './client-wire.ts'
import { ApiError, clientReasons } from './errors.ts'
import { createBudget, persist, realTiming, within } from './retry.ts'
import type { RetryBudget, Timing } from './retry.ts'
import type { ClientRoute } from './route.ts'
import { fromStatus } from './status.ts'

const keyHeader = 'idempotency-key'

export interface TransportOptions {
  /** What stands before every path: `https://api.example.com`, or `''` in a browser for the page's own origin. */
  readonly baseUrl: string
  /** The platform's `fetch` when absent. */
  readonly fetch?: typeof fetch
  /** Sent as `Authorization: Bearer`, but not on public operations. */
  readonly token?: string
  /** Instead of a token that never changes; `bearer` makes one of a provider. */
  readonly authorize?: Authorize
  /** Tries after the first, 3 when absent; what is retried: `send`. */
  readonly retries?: number
  /** For a whole call with its retries; 60,000 when absent. */
  readonly timeoutMs?: number
  /** Sent with every call, such as `user-agent`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timing?: Partial<Timing>
}

/** Puts what shows who calls into the headers and runs a try; may run it again where it is repeatable. */
export type Authorize = <T>(headers: Headers, isRepeatable: boolean, run: () => Promise<T>) => Promise<T>

/** How calls reach one server; made by `createTransport`, shared by any number of clients and calls. */
export interface Transport extends Required<Omit<TransportOptions, 'token' | 'authorize' | 'timing'>> {
  readonly authorize: Authorize | undefined
  readonly budget: RetryBudget
  readonly timing: Timing
}

export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. A stream of bytes that was answered ends too. */
  readonly signal?: AbortSignal
  /** For this call with its retries, instead of the transport's. */
  readonly timeoutMs?: number
  /** 1 to 128 visible ASCII characters; absent: a new one on operations that change something (conventions §6). */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly retry?: false
}

/** A result with the headers it came with. */
export interface Exchange<Result> {
  readonly value: Result
  readonly headers: Headers
}

export function createTransport(options: TransportOptions): Transport {
  const { baseUrl, token } = options
  return {
    baseUrl: baseUrl.replace(/\/$/, ''),
    fetch: options.fetch ?? fetch,
    retries: options.retries ?? 3,
    timeoutMs: options.timeoutMs ?? 60_000,
    headers: options.headers ?? {},
    authorize: options.authorize ?? (token === undefined ? undefined : withToken(token)),
    budget: createBudget(),
    timing: { ...realTiming, ...options.timing },
  }
}

const withToken =
  (token: string): Authorize =>
  (headers, _, run) => {
    headers.set('authorization', `Bearer ${token}`)
    return run()
  }

/**
 * Makes one call. Rejects with `ApiError` when the server answers an error, when no answer comes (CONNECTION_FAILED,
 * DEADLINE_EXCEEDED) or when it is not what was declared (ANSWER_INVALID). Lost connections, UNAVAILABLE, and 429 with
 * a time to wait are retried where a repetition is safe: GET, HEAD, and whatever carries an Idempotency-Key; a body that
 * is a stream never is.
 */
export async function send<Request extends object, Result>(
  transport: Transport,
  route: ClientRoute<Request, Result>,
  request: NoInfer<Request>,
  options: CallOptions = {},
): Promise<Result> {
  const { value } = await exchange(transport, route, request, options)
  return value
}

/** `send` for who needs the headers of the answer too. */
export async function exchange<Request extends object, Result>(
  transport: Transport,
  route: ClientRoute<Request, Result>,
  request: NoInfer<Request>,
  options: CallOptions,
): Promise<Exchange<Result>> {
  const { access, method, mode = 'data', operationId } = route
  const { timeoutMs = transport.timeoutMs, idempotencyKey = mode === 'data' ? undefined : crypto.randomUUID() } =
    options
  const outgoing = writeRequest(route, request)
  const { body, headers } = outgoing
  const given = { ...transport.headers, ...options.headers }
  for (const [name, value] of Object.entries(given)) headers.set(name, value)
  if (idempotencyKey !== undefined && !headers.has(keyHeader)) headers.set(keyHeader, idempotencyKey)

  const isRepeatable = !(body instanceof ReadableStream)
  const isSafe = method === 'GET' || method === 'HEAD' || headers.has(keyHeader)
  const retries = isSafe && isRepeatable && options.retry !== false ? transport.retries : 0
  const isPublic = access?.kind === 'public' || headers.has('authorization')
  const { authorize, budget, timing } = transport
  const deadline = timing.now() + timeoutMs
  const late = () => new ApiError(clientReasons.DEADLINE_EXCEEDED, `${operationId} took longer than ${timeoutMs} ms`)
  return within(timeoutMs, late, options.signal, signal => {
    const run = () => attempt<Result>(transport, route, outgoing, signal)
    const tries = isPublic || !authorize ? run : () => authorize(headers, isRepeatable, run)
    return persist(tries, { retries, deadline, signal }, budget, timing)
  })
}

async function attempt<Result>(
  { baseUrl, fetch, timing }: Transport,
  route: ClientRoute<unknown, Result>,
  { target, headers, body }: Outgoing,
  signal: AbortSignal,
): Promise<Exchange<Result>> {
  const { method, operationId, replies, success } = route
  const init: RequestInit & { duplex: 'half' } = {
    method,
    headers,
    signal,
    duplex: 'half',
    // After an abort `fetch` may still read a stream on to its end.
    body: body instanceof ReadableStream ? body.pipeThrough(new TransformStream(), { signal }) : (body ?? null),
  }
  try {
    const answer = await fetch(baseUrl + target, init)
    const isSuccess = answer.ok || answer.status === success[0].status
    const value = replies ? replies(route, answer) : isSuccess && readAnswer(method, success[0].kind, answer)
    if (!value) throw fromStatus(answer, await readErrorBody(answer), timing.now())
    // The document promises the type; answers are open, so their values are not checked.
    return { value: (await value) as Result, headers: answer.headers }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ApiError) throw error
    const failed = new ApiError(clientReasons.CONNECTION_FAILED, `${operationId} got no answer: ${error}`)
    throw Object.assign(failed, { cause: error })
  }
}
