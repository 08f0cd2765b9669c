// Copied by ninefold. Do not edit: generate writes it again.

import { errorAnswer } from '../status.ts'
import type { RenderError } from '../status.ts'
import { fieldInvalid } from '../refusal.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../wire.ts'
import { NodeBody } from './node-body.ts'
import type { NodeRequest } from './node-body.ts'
import type { ErrorDomain } from '../errors.ts'

/** What is used of node:http's `ServerResponse`. */
export interface NodeResponse {
  readonly writableFinished: boolean
  readonly destroyed: boolean
  on(event: string, listener: () => void): unknown
  writeHead(status: number, headers: Record<string, string>): unknown
  flushHeaders(): unknown
  write(chunk: Uint8Array): boolean
  end(body?: string | Uint8Array): unknown
  destroy(): unknown
}

/** What is used of the sockets that node:http gives to `clientError`. */
export interface NodeSocket {
  readonly writable: boolean
  /** The answer that is being sent, if any. */
  readonly _httpMessage?: { readonly _headerSent?: boolean } | null
  end(text: string): unknown
  destroy(): unknown
  setTimeout?(milliseconds: number, listener: () => void): unknown
}

/** Options a node:http server needs for the limits and errors of conventions §1: URL 16 KiB, headers 32 KiB. */
export const serverOptions = { maxHeaderSize: 48 * 1024, requireHostHeader: false } as const

/** Answers a request of node:http. `proceed` is called when its body is first asked for. */
export type NodeHost = (req: NodeRequest, res: NodeResponse, proceed?: () => void) => void

/**
 * Serves over node:http: `createServer(serverOptions, nodeHost(dispatch))`. A caller that goes away aborts the call;
 * streams are written at the pace at which they are read; the rest of a body is discarded after the answer, and the
 * connection is closed when the rest takes too long. To ask callers of `Expect: 100-continue` for their body no earlier than it
 * is read, `server.on('checkContinue', (req, res) => host(req, res, () => res.writeContinue()))`.
 */
export function nodeHost(dispatch: Dispatch): NodeHost {
  return (req, res, proceed = () => {}) => {
    const { method = '', url: target = '', rawHeaders, socket } = req
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
    const request = { method, target, headers, body, signal, clientAddress: socket.remoteAddress ?? '' }
    dispatch(request)
      .then(answer => write(answer, res, request))
      .catch(() => res.destroy())
  }
}

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

type Asked = Pick<WireRequest, 'method' | 'signal'> & { readonly body: NodeBody | undefined }

async function write({ status, headers, body }: WireAnswer, res: NodeResponse, request: Asked): Promise<void> {
  if (body instanceof ReadableStream) {
    res.writeHead(status, headers)
    // The first piece may take long.
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
  return end(res, request)
}

/** A connection that closes with bytes unread is reset, and the caller may lose the answer: they are read first. */
async function end(res: NodeResponse, { body }: Asked): Promise<void> {
  if (body?.isArriving) await body.discard()
  // Without the cut node:http would read the rest of the body, however long and slow it is.
  if (body?.isArriving) res.on('finish', () => body.cut())
  res.end()
}

async function pump(body: ReadableStream<Uint8Array>, res: NodeResponse, signal: AbortSignal): Promise<void> {
  let wake = (): void => {}
  for (const event of ['drain', 'close']) res.on(event, () => wake())
  const write = (chunk: Uint8Array): void | Promise<void> => {
    if (!res.write(chunk) && !res.destroyed) return new Promise(resolve => (wake = resolve))
  }
  await body.pipeTo(new WritableStream({ write }), { signal })
}

const clientErrorStatus: Readonly<Record<string, readonly [status: number, line: string, description: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'has headers that are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'did not arrive in time'],
}

/**
 * Answers what node:http could not read as a request, as the listener of its event `clientError`: google.rpc.Status
 * with HTTP status 400, 408 or 431, its headers and body as `render` makes them. `outside` is the domain of errors
 * outside every area.
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
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${encoder.encode(text).length}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  socket.setTimeout?.(2000, () => socket.destroy())
}
