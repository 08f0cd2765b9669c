import { readerOf } from '../body.ts'
import { errorAnswer } from '../status.ts'
import type { RenderError } from '../status.ts'
import { fieldInvalid } from '../refusal.ts'
import { headerLines } from '../wire.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../wire.ts'
import { NodeBody } from './node-body.ts'
import type { NodeRequest } from './node-body.ts'
import type { ErrorDomain } from '../errors.ts'

/** The members of node:http's `ServerResponse` that the host uses. */
export interface NodeResponse {
  readonly writableFinished: boolean
  readonly destroyed: boolean
  /** The connection; null while earlier answers of the connection are in progress. */
  readonly socket?: { end(): unknown } | null
  on(event: string, listener: () => void): unknown
  writeHead(status: number, headers: Record<string, string | string[]>): unknown
  flushHeaders(): unknown
  write(chunk: Uint8Array, written?: () => void): boolean
  end(body?: string | Uint8Array): unknown
  destroy(): unknown
}

/** The members of a socket that `answerClientError` uses; node:http passes the socket with the event `clientError`. */
export interface NodeSocket {
  readonly writable: boolean
  /** The answer in progress, if any. */
  readonly _httpMessage?: { readonly _headerSent?: boolean } | null
  end(text: string): unknown
  destroy(): unknown
  setTimeout?(milliseconds: number, listener: () => void): unknown
}

/**
 * The options that a node:http server needs for the limits and errors of conventions §1: URL and headers together 48
 * KiB; the dispatcher limits the URL. Also set `server.maxHeadersCount = 0`, because node:http would drop all headers
 * after the thousandth without an error.
 */
export const serverOptions = { maxHeaderSize: 48 * 1024, requireHostHeader: false } as const

/** Answers a request of node:http. The host calls `proceed` on the first demand for the body of the request. */
export type NodeHost = (req: NodeRequest, res: NodeResponse, proceed?: () => void) => void

/**
 * Returns a host for node:http: `createServer(serverOptions, nodeHost(dispatch))`. A caller that disconnects aborts the
 * call. Streams are written at the pace of their reader. The rest of a body is discarded after the answer, and the
 * connection is closed if the rest is too long or too slow. With
 * `server.on('checkContinue', (req, res) => host(req, res, () => res.writeContinue()))`, a caller with
 * `Expect: 100-continue` is asked for its body only when the body is read.
 */
export function nodeHost(dispatch: Dispatch): NodeHost {
  return (req, res, proceed = () => {}) => {
    const { httpVersion, method = '', url: target = '', rawHeaders, socket } = req
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    const headers = joinHeaders(rawHeaders)
    const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
    const body = hasBody ? new NodeBody(req, abort, proceed) : undefined
    res.on('close', () => {
      if (!res.writableFinished) abort()
      body?.return()
    })
    const { signal } = controller
    const fault = isHost(headers.host, httpVersion) ? undefined : hostFault
    const request = { method, target, headers, body, signal, clientAddress: socket.remoteAddress ?? '', fault }
    dispatch(request)
      .then(answer => write(answer, res, request))
      .catch(() => res.destroy())
  }
}

const hostFault = { field: 'Host', description: 'must be given once, as a host with an optional port' }

/** Matches a host with an optional port (RFC 3986 §3.2.2): an IPv6 address in brackets, or a name. */
const hostShape = /^(?:\[(?=[\da-f.]*:)[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/** Whether a request has a valid `Host` (RFC 9112 §3.2). The joined values of a repeated header hold a blank. */
const isHost = (host: string | undefined, httpVersion: string): boolean =>
  host === undefined ? httpVersion === '1.0' : hostShape.test(host)

function joinHeaders(raw: readonly string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null)
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase()
    const before = headers[name]
    const value = raw[index + 1] ?? ''
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return headers
}

const encoder = /* @__PURE__ */ new TextEncoder()

type Asked = Pick<WireRequest, 'headers' | 'method' | 'signal'> & { readonly body: NodeBody | undefined }

async function write({ status, headers, body }: WireAnswer, res: NodeResponse, request: Asked): Promise<void> {
  if (body instanceof ReadableStream) {
    res.writeHead(status, headers)
    // The first chunk may take long, so the headers are sent before.
    res.flushHeaders()
    await pump(body, res, request.signal)
    return end(res, request)
  }
  const isHead = request.method === 'HEAD'
  const length = typeof body === 'string' ? encoder.encode(body).length : (body?.length ?? 0)
  const isBare = body === undefined && (isHead || status === 204 || status === 304)
  if (!isBare) headers['content-length'] = String(length)
  res.writeHead(status, headers)
  if (!request.body?.isArriving) {
    res.end(body)
    return
  }
  if (body === undefined || isHead) res.flushHeaders()
  else res.write(typeof body === 'string' ? encoder.encode(body) : body)
  // A caller may wait for the end of the connection, which still reads the rest of the body (RFC 9112 §9.6).
  if (request.headers.connection?.toLowerCase() === 'close') res.socket?.end()
  return end(res, request)
}

/**
 * Ends an answer after the rest of the request's body is read: a connection that closes with unread bytes is reset, and
 * the caller may lose the answer.
 */
async function end(res: NodeResponse, { body }: Asked): Promise<void> {
  if (body?.isArriving) await body.discard()
  // The connection is closed, because node:http would otherwise read the rest of the body, however long and slow the
  // rest is.
  if (body?.isArriving) res.on('finish', () => body.cut())
  res.end()
}

/** The number of bytes that are read and written at once. */
const pumpedBytes = 262_144

/**
 * Writes a stream at the pace of the caller. A stream of bytes goes through one buffer, which is filled again once the
 * operating system has taken its bytes: garbage of the size of a content would hold the event loop up.
 */
async function pump(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  res: NodeResponse,
  signal: AbortSignal,
): Promise<void> {
  const reader = readerOf(body)
  const leave = (): void => void reader.cancel(signal.reason).catch(() => {})
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  let wake = (): void => {}
  res.on('close', () => wake())
  let buffer = new ArrayBuffer(reader.fills ? pumpedBytes : 0)
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer))
    signal.throwIfAborted()
    if (done) return
    await new Promise<void>(resolve => {
      wake = resolve
      const isFree = res.write(value, resolve)
      if (res.destroyed || (isFree && !reader.fills)) resolve()
    })
    if (reader.fills) buffer = value.buffer
  }
}

const clientErrorStatus: Readonly<Record<string, readonly [status: number, line: string, description: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'has headers that are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'did not arrive in time'],
}

/**
 * Answers unreadable requests, as the listener of node:http's event `clientError`: google.rpc.Status with HTTP status
 * 400, 408 or 431, with the headers and body of `render`. Closes a socket without an answer if the socket is lost or
 * another answer has begun. `outside` is the error domain outside of all areas.
 */
export function answerClientError(
  error: Error & { readonly code?: string },
  socket: NodeSocket,
  outside: ErrorDomain,
  render?: RenderError,
): void {
  const isAnswering = socket._httpMessage?._headerSent === true
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const [status, line, description] = clientErrorStatus[error.code ?? ''] ?? [400, 'Bad Request', 'is not valid HTTP']
  const { body, headers } = errorAnswer(fieldInvalid([{ field: 'request', description }]), outside, render, status)
  const text = typeof body === 'string' ? body : ''
  const head = [
    `HTTP/1.1 ${status} ${line}`,
    'Connection: close',
    ...headerLines(headers).map(line => line.join(': ')),
    `Content-Length: ${encoder.encode(text).length}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.setTimeout?.(2000, () => socket.destroy())
}
