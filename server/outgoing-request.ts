import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'

/** What a request has beside its address. */
export interface OutgoingRequest {
  readonly method?: string | undefined
  readonly headers?: HeadersInit | undefined
  readonly body?: string | Uint8Array | undefined
  /** Ends the request, and the body of its answer. */
  readonly signal: AbortSignal
}

/** The statuses of answers without a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Sends a request to another host over HTTP, and resolves with the answer, whose body is read as it is asked for. Follows
 * no redirect. Rejects if there is no answer.
 *
 * A server must not use `fetch` of Node for hosts of others: if a host closes a connection whose answer is not read at
 * once, the parser of `fetch` throws an error that nothing can catch, and the process ends (undici 5360).
 */
export function sendRequest(url: string | URL, outgoing: OutgoingRequest): Promise<Response> {
  const { body, headers, method = 'GET', signal } = outgoing
  const { promise, reject, resolve } = Promise.withResolvers<Response>()
  const { request } = new URL(url).protocol === 'https:' ? https : http
  request(url, { method, headers: Object.fromEntries(new Headers(headers)), signal })
    .on('error', reject)
    .on('close', () => reject(new Error('the connection ended without an answer')))
    .on('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new Error('the host changed the protocol'))
    })
    .on('response', answer => {
      try {
        resolve(responseOf(answer))
      } catch (error) {
        answer.destroy()
        reject(error)
      }
    })
    .end(body)
  return promise
}

/** Throws for a status or a header that HTTP does not have. */
function responseOf(answer: IncomingMessage): Response {
  const { headers: fields, statusCode: status = 0 } = answer
  const headers = new Headers(
    Object.entries(fields).flatMap(([name, lines]) => [lines ?? []].flat().map(line => [name, line])),
  )
  if (!bodiless.has(status)) return new Response(bodyOf(answer), { status, headers })
  answer.resume()
  return new Response(null, { status, headers })
}

/** Returns the bytes of an answer as they are asked for; their stream fails if the connection does. */
function bodyOf(answer: IncomingMessage): ReadableStream<Uint8Array> {
  // A failure before the first read is shown by that read.
  answer.on('error', () => {})
  const chunks = answer[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void answer.destroy(),
    },
    { highWaterMark: 0 },
  )
}
