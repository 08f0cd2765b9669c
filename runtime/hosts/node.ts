import { fieldInvalid } from '../bind.ts'
import { errorAnswer } from '../failure.ts'
import type { RenderError } from '../failure.ts'
import type { ErrorDomain } from '../route.ts'
import type { Dispatch, WireAnswer, WireRequest } from '../wire.ts'

/** What is used of node:http's `IncomingMessage`. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly destroyed: boolean
  readonly readableEnded: boolean
  on(event: string, listener: (chunk: Uint8Array<ArrayBuffer>) => void): unknown
  pause(): unknown
  resume(): unknown
}

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

/**
 * Serves over node:http: `createServer(serverOptions, nodeHost(dispatch))`. A caller that goes away aborts the call;
 * streams are written at the pace at which they are read; what is left of a body is discarded after the answer.
 */
export function nodeHost(dispatch: Dispatch): (req: NodeRequest, res: NodeResponse) => void {
  return (req, res) => {
    const request = new NodeWireRequest(req)
    res.on('close', () => {
      if (!res.writableFinished) request.abort()
      request.body?.return()
    })
    dispatch(request)
      .then(answer => write(answer, res, request))
      .catch(() => res.destroy())
  }
}

/** How much of a refused body is read after the answer, and for how long. */
const discarded = { bytes: 16_777_216, milliseconds: 2000 } as const

class NodeWireRequest implements WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: Record<string, string | undefined>
  readonly body: Chunks | undefined
  readonly #req: NodeRequest
  #controller: AbortController | undefined
  #isAborted = false

  constructor(req: NodeRequest) {
    this.#req = req
    this.method = req.method ?? ''
    this.target = req.url ?? ''
    this.headers = joinHeaders(req.rawHeaders)
    const length = this.headers['content-length'] ?? '0'
    this.body =
      length !== '0' || this.headers['transfer-encoding'] !== undefined
        ? new Chunks(req, () => this.abort())
        : undefined
  }

  get clientAddress(): string {
    return this.#req.socket.remoteAddress ?? ''
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }
}

/**
 * The chunks of a body as they are asked for. Unlike Node's own iterator, which costs as much as the rest of a call,
 * leaving it early does not end the connection that the answer must still go over.
 */
class Chunks implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #req: NodeRequest
  readonly #lost: () => void
  readonly #queue: Uint8Array<ArrayBuffer>[] = []
  #wake: (() => void) | undefined
  #isOpen = false
  #isLeft = false

  constructor(req: NodeRequest, lost: () => void) {
    this.#req = req
    this.#lost = lost
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    if (!this.#isOpen) this.#open()
    while (this.#queue.length === 0 && !this.#req.readableEnded) {
      if (this.#req.destroyed || this.#isLeft) {
        this.#lost()
        throw new Error('the call ended before its body had arrived')
      }
      this.#req.resume()
      await new Promise<void>(resolve => (this.#wake = resolve))
    }
    const value = this.#queue.shift()
    return value === undefined ? { done: true, value } : { done: false, value }
  }

  /** What is left is discarded as it arrives, so that the connection can go on. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isLeft = true
    this.#queue.length = 0
    this.#wake?.()
    if (!this.#req.readableEnded) this.#req.resume()
    return { done: true, value: undefined }
  }

  /** Whether bytes of it are still to come. */
  get isArriving(): boolean {
    return !this.#req.readableEnded && !this.#req.destroyed
  }

  /** Reads what is left and drops it; gives up on a body that is too large or too slow. */
  async discard(): Promise<void> {
    let bytes = 0
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, discarded.milliseconds)
      const settle = (): void => {
        clearTimeout(timer)
        resolve()
      }
      this.#req.on('data', chunk => {
        bytes += chunk.length
        if (bytes > discarded.bytes) settle()
      })
      for (const event of ['end', 'error', 'close']) this.#req.on(event, settle)
      void this.return()
    })
  }

  #open(): void {
    this.#isOpen = true
    const wake = (): void => this.#wake?.()
    this.#req.on('data', chunk => {
      if (this.#isLeft) return
      this.#queue.push(chunk)
      this.#req.pause()
      wake()
    })
    for (const event of ['end', 'error', 'close']) this.#req.on(event, wake)
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

async function write(
  { status, headers, body }: WireAnswer,
  res: NodeResponse,
  request: NodeWireRequest,
): Promise<void> {
  if (body instanceof ReadableStream) {
    res.writeHead(status, headers)
    // The first piece may take long.
    res.flushHeaders()
    return pump(body, res)
  }
  const length = typeof body === 'string' ? encoder.encode(body).length : (body?.length ?? 0)
  const isHead = request.method === 'HEAD'
  const isBare = body === undefined && (isHead || status === 204 || status === 304)
  if (!isBare) headers['content-length'] = String(length)
  res.writeHead(status, headers)
  if (body === undefined || isHead || !request.body?.isArriving) {
    res.end(body)
    return
  }
  // A connection that closes with bytes unread is reset, and the caller may lose the answer: they are read first.
  res.write(typeof body === 'string' ? encoder.encode(body) : body)
  await request.body.discard()
  res.end()
}

async function pump(body: ReadableStream<Uint8Array>, res: NodeResponse): Promise<void> {
  const reader = body.getReader()
  let wake = (): void => {}
  const onClose = (): void => {
    wake()
    // Who reads on is told why a stream broke; here it only ends.
    reader.cancel().catch(() => undefined)
  }
  res.on('drain', () => wake())
  res.on('close', onClose)
  if (res.destroyed) onClose()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!res.write(value) && !res.destroyed) await new Promise<void>(resolve => (wake = resolve))
  }
  res.end()
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
