import { streamOf } from './body.ts'
import { answerInvalid, ApiError, clientReasons } from './errors.ts'
import { JsonText, plainJson } from './json.ts'
import type { JsonForm } from './parameters/types.ts'
import type { Chunks, Reading, StreamCodec } from './media.ts'
import { Faults, isRecord, nested } from './validation.ts'
import type { Check } from './validation.ts'

/**
 * The form of the items of an event stream. With `isText`, data is text instead of JSON; with `isWhole`, items are
 * `{ data, event, id, retry }`.
 */
export type EventForm = { readonly isText?: true; readonly isWhole?: true }

/**
 * Returns the codec of JSON with one item per line (`application/x-ndjson`). Empty lines are skipped. `check` checks
 * the items of requests, and `json` is the form of the items.
 */
export function jsonLines(check?: Check, json: JsonForm = plainJson): StreamCodec {
  const write = (item: unknown): string => `${jsonOf(item, json).replace(/[\r\n]+/g, ' ')}\n`
  return codec('lines', write, (chunks, limit) => linesOf(chunks, limit, true), json.parse, check)
}

/**
 * Returns the codec of server-sent events, one item per event. Comments and events without data are skipped, and the
 * data `[DONE]` ends a stream of JSON. `check` checks the items of requests, and `json` is
 * the form of the data.
 */
export function eventStream(form: EventForm = {}, check?: Check, json: JsonForm = plainJson): StreamCodec {
  const parse = (event: ServerEvent, depth: number): unknown => {
    // Several services end their streams so, with text that is no JSON.
    if (event.data === '[DONE]' && !form.isText) return done
    const data = form.isText ? event.data : json.parse(event.data, depth)
    return form.isWhole ? { ...event, data } : data
  }
  return codec('events', item => eventText(item, form, json), eventsOf, parse, check)
}

/** Converts items one by one, at the pace of their reader. */
export async function* mapItems<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncIterable<To> {
  for await (const item of items) yield change(item)
}

/** The item after which a stream has ended. */
const done: unique symbol = /* @__PURE__ */ Symbol('done')

const encoder = /* @__PURE__ */ new TextEncoder()

function codec<Part>(
  name: StreamCodec['name'],
  write: (item: unknown) => string,
  parts: (chunks: Chunks, limit: number) => AsyncIterable<Part>,
  parse: (part: Part, depth: number) => unknown,
  check: Check | undefined,
): StreamCodec {
  return {
    name,
    write(items) {
      if (!isAsyncIterable(items)) throw new TypeError('the body must be an AsyncIterable')
      return streamOf(items, item => encoder.encode(write(item)))
    },
    async read(body, { limits: { bodyBytes, jsonDepth }, refuse }) {
      return itemsOf(parts(body, bodyBytes), part => parse(part, jsonDepth), check, refuse)
    },
    readAnswer(body) {
      const read = (part: Part): unknown => parse(part, Infinity)
      return itemsOf(parts(received(body ?? new Blob().stream()), Infinity), read, undefined, ([fault]) =>
        answerInvalid(`${fault?.field} of the answer ${fault?.description}`),
      )
    },
  }
}

async function* itemsOf<Part>(
  parts: AsyncIterable<Part>,
  parse: (part: Part) => unknown,
  check: Check = () => true,
  refuse: Reading['refuse'],
): AsyncIterable<unknown> {
  let index = 0
  try {
    for await (const part of parts) {
      if (typeof part === 'string' && part.trim() === '') continue
      const item = parse(part)
      if (item === done) return
      const faults = new Faults()
      if (!nested(item, `body[${index}]`, faults, check)) throw refuse(faults.list)
      yield item
      index += 1
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse([{ field: `body[${index}]`, description: error.message }])
  }
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

/**
 * Iterates over the chunks of a stream with a reader, because not every browser can iterate over streams. Throws
 * CONNECTION_FAILED for a lost connection, which `fetch` reports as `TypeError`.
 */
async function* received(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Chunks {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ApiError(clientReasons.CONNECTION_FAILED, `the answer broke off: ${error}`)
  } finally {
    // A broken stream rejects again with its error.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Iterates over the lines of a text without their ends; the last line may lack its end. Throws `SyntaxError` for a line
 * longer than `limit`, as soon as it is too long, and with `isFatal` for invalid UTF-8.
 */
async function* linesOf(chunks: Chunks, limit: number, isFatal: boolean): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: isFatal })
  let begun = ''
  let isCut = false
  for await (const chunk of chunks) {
    const text = decoded(decoder, chunk)
    if (text === '') continue
    const parts = (isCut && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|[\r\n]/)
    isCut = text.endsWith('\r')
    const rest = parts.pop() ?? ''
    for (const part of parts) {
      yield within(begun + part, limit)
      begun = ''
    }
    begun = within(begun + rest, limit)
  }
  begun += decoded(decoder)
  if (begun !== '') yield begun
}

function within(line: string, limit: number): string {
  if (line.length > limit) throw new SyntaxError(`must have at most ${limit} characters`)
  return line
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array<ArrayBuffer>): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw new SyntaxError('must be valid UTF-8')
  }
}

/** An event of the HTML standard: its data, its fields `event` and `retry`, and the last `id` so far. */
type ServerEvent = { readonly data: string } & Readonly<Record<string, unknown>>

/**
 * Iterates over the events of a stream. An event ends with an empty line; an incomplete event at the end of the stream
 * is dropped.
 */
async function* eventsOf(chunks: Chunks, limit: number): AsyncIterable<ServerEvent> {
  let data: string | undefined
  let fields: Record<string, unknown> = {}
  for await (const line of linesOf(chunks, limit, false)) {
    if (line === '') {
      if (data !== undefined) yield { data, ...fields }
      data = undefined
      fields = 'id' in fields ? { id: fields.id } : {}
      continue
    }
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === 'data') data = within(data === undefined ? value : `${data}\n${value}`, limit)
    else if (name === 'event') fields.event = value || undefined
    else if (name === 'id' && !value.includes('\0')) fields.id = value
    else if (name === 'retry' && /^\d{1,15}$/.test(value)) fields.retry = Number(value)
  }
}

function eventText(item: unknown, { isText, isWhole }: EventForm, json: JsonForm): string {
  const { data, event, id, retry } = isWhole && isRecord(item) ? item : { data: item }
  const lines = Object.entries({ event, id, retry }).flatMap(([name, value]) => field(name, value))
  const text = data === undefined || isText ? data : jsonOf(data, json)
  const parts = text === undefined ? [] : String(text).split(/\r\n|[\r\n]/)
  return `${[...lines, ...parts.map(part => `data: ${part}\n`)].join('')}\n`
}

function field(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  const text = String(value)
  if (/[\r\n\0]/.test(text)) throw new TypeError(`the ${name} of an event must be one line`)
  return [`${name}: ${text}\n`]
}

function jsonOf(item: unknown, json: JsonForm): string {
  const text: string | undefined = item instanceof JsonText ? item.text : json.write(item)
  if (text === undefined) throw new TypeError('an item must be a JSON value')
  return text
}
