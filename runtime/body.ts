import { parseJson } from './json.ts'
import { charsetOf, type Chunks, type Media, type PlainCodec, type Reading } from './media.ts'
import type { JsonForm } from './parameters/types.ts'

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true })

/** The name of the member of a request that holds its body. */
export const bodyField = 'body'

/** The codec of uninterpreted bytes, which handlers and clients read as a stream, at their own pace. */
export const rawBytes: PlainCodec = {
  name: 'bytes',
  takesNothing: true,
  write: writePlain,
  read: async body => streamOf(body, chunk => chunk),
  readAnswer: body => body ?? new Blob().stream(),
}

/** The codec of text in UTF-8. */
export const plainText: PlainCodec = {
  name: 'text',
  takesNothing: true,
  write: writePlain,
  read: readText,
  readAnswer: async (body, { headers }) =>
    textIn(await new Response(body).arrayBuffer(), charsetOf(headers.get('content-type') ?? '')),
}

/** Returns the text of bytes; in UTF-8 if the charset is unknown. */
function textIn(bytes: ArrayBuffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function writePlain(value: unknown): BodyInit {
  if (typeof value === 'string' || isBytes(value)) return value
  throw new TypeError('the body must be text or bytes')
}

/**
 * Reads the body of a call: a JSON value, or the value of its codec. Returns undefined for an absent body, and for an
 * unreadable body, which adds a fault. An empty JSON body counts as absent. An empty body of another kind counts as
 * present if it has a type, or if bytes or text are required.
 */
export async function readBody(
  body: Chunks | undefined,
  { kind }: Media,
  isRequired: boolean,
  reading: Reading,
): Promise<unknown> {
  const { headers } = reading
  const isSome = headers['content-type'] !== undefined || (isRequired && kind !== 'json' && kind.takesNothing)
  const chunks = body ?? (headers['content-length'] === '0' && isSome ? new Blob().stream() : undefined)
  if (chunks === undefined) return undefined
  if (kind !== 'json') return kind.read(chunks, reading)
  const text = await readText(chunks, reading)
  return text ? readJson(text, bodyField, reading) : undefined
}

/** Returns the value of JSON text; adds a fault and returns undefined for malformed or too deeply nested text. */
export function readJson(
  text: string,
  field: string,
  { faults, limits }: Pick<Reading, 'faults' | 'limits'>,
  parse: JsonForm['parse'] = parseJson,
): unknown {
  try {
    return parse(text, limits.jsonDepth)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return void faults.add(field, error.message)
  }
}

/** Returns the text of a body; adds a fault and returns undefined if the body is too long or not UTF-8. */
export async function readText(body: Chunks, reading: Reading): Promise<string | undefined> {
  const bytes = await gather(body, reading.limits.bodyBytes, reading)
  try {
    return bytes && utf8.decode(bytes)
  } catch {
    return void reading.faults.add(bodyField, 'must be valid UTF-8')
  }
}

/**
 * Returns all bytes of a body; adds a fault and returns undefined if the declared length or the received bytes exceed
 * `limit`.
 */
export async function gather(
  body: Chunks,
  limit: number,
  { faults, headers }: Reading,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const tooLarge = (): undefined => void faults.add(bodyField, `must have at most ${limit} bytes`)
  if (Number(headers['content-length'] ?? 0) > limit) return tooLarge()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > limit) return tooLarge()
    chunks.push(chunk)
  }
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Returns the chunks of a body, on demand; throws the error of `refuse` after more than `most` bytes. */
export function atMost(body: Chunks, most: number, refuse: () => Error): Chunks {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  const iterator = {
    async next() {
      const next = await chunks.next()
      bytes += next.done === true ? 0 : next.value.length
      if (bytes > most) throw refuse()
      return next
    },
    return: async () => (await chunks.return?.()) ?? { done: true as const, value: undefined },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/**
 * The bytes of a body that is not JSON. A caller may give any of the three types; a handler and a client always receive
 * a `ReadableStream`, which they read at their own pace.
 */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>

/** Whether a value has one of the three types of `Bytes`. */
export function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array || value instanceof Blob || value instanceof ReadableStream
}

/**
 * Returns a stream of the encoded items, at the pace of its reader. Cancelling the stream ends the iteration over the
 * items.
 */
export function streamOf<Item>(
  items: AsyncIterable<Item>,
  write: (item: Item) => Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = items[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const next = await iterator.next()
          if (next.done === true) controller.close()
          else controller.enqueue(write(next.value))
        } catch (error) {
          await iterator.return?.()
          throw error
        }
      },
      cancel: async () => void (await iterator.return?.()),
    },
    { highWaterMark: 0 },
  )
}

type Filled = Uint8Array<ArrayBuffer>

/** A reader of a stream. If it `fills`, it moves the memory of `view` to the result, which is a part of that memory. */
export interface ByteReader {
  readonly fills: boolean
  read(view: Filled): Promise<ReadableStreamReadResult<Filled>>
  cancel(reason: unknown): Promise<void>
}

/** Returns a reader of a stream, which fills the buffers of its caller if the stream is one of bytes. */
export function readerOf(stream: ReadableStream<Filled>): ByteReader {
  try {
    const filling = stream.getReader({ mode: 'byob' })
    return { fills: true, read: view => filling.read(view), cancel: reason => filling.cancel(reason) }
  } catch {
    const reader = stream.getReader()
    return { fills: false, read: () => reader.read(), cancel: reason => reader.cancel(reason) }
  }
}

/**
 * Returns a stream of bytes at the pace of its reader, whose memory it fills. `fill` returns the filled part of `view`,
 * which may have moved to another buffer; no bytes end the stream. Undefined says that the stream was cancelled.
 */
export function filledStream(
  fill: (view: Filled) => Promise<Filled | undefined>,
  cancel: (reason: unknown) => Promise<void>,
): ReadableStream<Filled> {
  return new ReadableStream(
    {
      type: 'bytes',
      autoAllocateChunkSize: 131_072,
      async pull(controller) {
        const { byobRequest: request } = controller
        if (!request?.view) return
        const { buffer, byteLength, byteOffset } = request.view
        const filled = await fill(new Uint8Array(buffer, byteOffset, byteLength))
        if (filled === undefined) return
        if (filled.length === 0) controller.close()
        request.respondWithNewView(filled)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
}

/**
 * Returns a stream of the same kind and bytes, at the pace of the reader. Calls `ended` once with the result: read to
 * the end, cancelled by the reader, or broken. The stream breaks if the source has fewer or more bytes than `length`: a
 * caller that knows the length would otherwise wait for missing bytes, or take excess bytes for the next answer.
 */
export function watched(
  stream: ReadableStream<Filled>,
  ended: (how: 'read' | 'left' | 'broken', error?: unknown) => void,
  length?: number,
): ReadableStream<Filled> {
  const reader = readerOf(stream)
  let isLeft = false
  let bytes = 0
  const read = async (view: Filled): Promise<ReadableStreamReadResult<Filled> | undefined> => {
    const next = await reader.read(view).catch((error: unknown) => {
      ended('broken', error)
      throw error
    })
    if (isLeft) return undefined
    bytes += next.value?.length ?? 0
    if (length !== undefined && (next.done ? bytes < length : bytes > length)) {
      const error = new Error(`the handler gave ${bytes} bytes and said content-length ${length}`)
      ended('broken', error)
      await reader.cancel(error)
      throw error
    }
    if (next.done) ended('read')
    return next
  }
  const cancel = async (reason: unknown): Promise<void> => {
    isLeft = true
    ended('left')
    await reader.cancel(reason)
  }
  if (reader.fills) return filledStream(async view => (await read(view))?.value, cancel)
  const pull = async (controller: ReadableStreamDefaultController<Filled>): Promise<void> => {
    const next = await read(new Uint8Array())
    if (next?.done) controller.close()
    else if (next) controller.enqueue(next.value)
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}
