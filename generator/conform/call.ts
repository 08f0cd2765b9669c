/** An HTTP request. */
export interface Request {
  readonly method: string
  /** The path and query, percent-encoded. */
  readonly target: string
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An HTTP response. */
export interface HttpAnswer {
  readonly status: number
  /** The headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** Sends one request and returns its response. Rejects if no response arrives. */
export type RequestSender = (request: Request) => Promise<HttpAnswer>

/** The maximal number of characters that are read from a response, so that a server cannot exhaust the memory. */
const maxCharacters = 16 * 1024 * 1024

const timeoutMs = 30_000

/** Returns a sender that sends requests over HTTP below a base URL such as `http://127.0.0.1:8080`. */
export function callOver(baseUrl: string): RequestSender {
  const base = baseUrl.replace(/\/+$/, '')
  return async ({ method, target, headers, body }) => {
    const response = await fetch(base + target, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await textOf(response) }
  }
}

/**
 * The maximal time in milliseconds for reading a stream, because a stream may never end. The complete lines received in
 * this time count as the body.
 */
const quietMs = 2000

async function textOf({ body, headers }: Response): Promise<string> {
  if (body === null) return ''
  const isStream = /^(?:text\/event-stream|application\/(?:x-)?(?:ndjson|jsonl))/i.test(
    headers.get('content-type') ?? '',
  )
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  const timer = isStream ? setTimeout(() => void reader.cancel(), quietMs) : undefined
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += next.value
    if (isStream && /\n\r?\n/.test(text)) await reader.cancel()
    if (text.length > maxCharacters) throw new Error(`the answer has more than ${maxCharacters} characters`)
  }
  clearTimeout(timer)
  return isStream ? text.slice(0, text.lastIndexOf('\n') + 1) : text
}
