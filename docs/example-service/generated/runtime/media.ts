// Copied by ninefold. Do not edit: generate writes it again.

import type { Written } from './parameters/write.ts'
import { isRecord } from './validation.ts'
import type { Faults } from './validation.ts'

/** The limits of a request's size and of the nesting of its JSON. Handlers limit bodies of bytes. */
export interface Limits {
  readonly urlBytes: number
  /** The maximal number of bytes of a body that is held in memory, or of each item of a stream. */
  readonly bodyBytes: number
  readonly jsonDepth: number
  /** The maximal number of bytes of a multipart form with its files, which are held in memory. */
  readonly formBytes: number
  readonly formParts: number
}

/** The limits of conventions §1, and the limits of forms. */
export const defaultLimits: Limits = {
  urlBytes: 16_384,
  bodyBytes: 1_048_576,
  jsonDepth: 100,
  formBytes: 10_485_760,
  formParts: 1000,
}

/** The bytes of a body as they arrive. */
export type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>

const ownedBuffers = /* @__PURE__ */ new WeakSet<ArrayBuffer>()

/** Marks a chunk of a body, which nothing else uses, and returns it; `released` can then return its memory. */
export function owned(chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (chunk.length === chunk.buffer.byteLength) ownedBuffers.add(chunk.buffer)
  return chunk
}

/**
 * Returns the memory of the chunks of a body at once, if a host has allocated them: the memory of a large body would
 * otherwise make garbage collections frequent. The chunks must not be used afterwards.
 */
export function released(chunks: Iterable<Uint8Array<ArrayBuffer>>): void {
  for (const { buffer } of chunks) if (ownedBuffers.delete(buffer)) buffer.transfer(0)
}

/** The headers, the limits and the error functions with which the body of a request is read. */
export interface Reading {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly limits: Limits
  /** The collected faults of a body that is read before the handler runs. */
  readonly faults: Faults
  /** Returns the error with which a faulty stream of items ends. */
  readonly refuse: (violations: Faults['list']) => Error
}

/** The bytes of an answer; null for an answer without a body. */
export type AnswerBody = ReadableStream<Uint8Array<ArrayBuffer>> | null

/**
 * The encoding of bodies that are not JSON. Routes refer to codecs as values, so that only routes with such bodies load
 * codecs.
 */
export interface Codec {
  readonly name: 'text' | 'bytes' | 'form' | 'multipart' | 'lines' | 'events' | 'choice' | 'exact'
  /** True if an empty body is a value: a required body without bytes then counts as present. */
  readonly takesNothing?: true
  /**
   * Returns the encoded value. Throws `TypeError` for a value that the codec cannot write. May change the declared
   * content type in `headers`.
   */
  write(value: unknown, headers: Headers): BodyInit
  /** Returns the value of a body. Returns undefined for an unreadable body, and adds its fault. */
  read(body: Chunks, reading: Reading): Promise<unknown>
}

/** The codec of text or of uninterpreted bytes, which may also be an answer. */
export interface PlainCodec extends Codec {
  readonly name: 'text' | 'bytes'
  /** Returns the value of an answer. */
  readAnswer(body: AnswerBody, answer: Pick<Response, 'headers'>): unknown
}

/** The codec of an answer that is JSON in a special form. */
export interface AnswerCodec {
  readonly name: 'exact'
  write(value: unknown): string
  /** Returns the value of an answer. Rejects with `SyntaxError` for a value that is malformed or that no number holds. */
  readAnswer(body: AnswerBody): Promise<unknown>
}

/** The codec of a stream of items, which may also be an answer. A slow reader slows its writer down. */
export interface StreamCodec extends Codec {
  readonly name: 'lines' | 'events'
  write(items: unknown): ReadableStream<Uint8Array<ArrayBuffer>>
  /** Iterates over the unchecked items of an answer, each as soon as it has arrived; leaving early ends the call. */
  readAnswer(body: AnswerBody): AsyncIterable<unknown>
}

/** The codec of an answer with a single media type. */
export type OneKind = 'json' | AnswerCodec | PlainCodec | StreamCodec

/** The codec of an answer with several media types, whose value is `{ contentType, body }`. */
export interface ChoiceCodec {
  readonly name: 'choice'
  /** The declared types and ranges. */
  readonly types: readonly string[]
  /** Returns the declared media type of a content type. Throws `TypeError` for an undeclared content type. */
  pick(contentType: unknown): AnswerMedia
  /** Returns the value of an answer. Rejects with `SyntaxError` for an undeclared content type and for malformed JSON. */
  readAnswer(body: AnswerBody, answer: Pick<Response, 'headers'>): Promise<unknown>
}

/** The encoding of a request's body: JSON or a codec. */
export type BodyKind = 'json' | Codec

/** A media type with its encoding. */
export interface Declared<Kind> {
  /** The declared content type, or a range such as `image/*`. */
  readonly type: string
  /** The further accepted types and ranges of the same form, which are never sent. */
  readonly aliases?: readonly string[]
  readonly kind: Kind
}

/** A media type of a request's body. */
export type Media = Declared<BodyKind>

/** A media type of an answer. */
export type AnswerMedia = Declared<OneKind>

/** The declared body of a request. */
export interface RequestBody extends Media {
  readonly required: boolean
  /**
   * The maximal number of bytes, for any kind of body: a longer body is answered with 413 as soon as the excess is
   * known. Absent: the limits of the dispatcher apply, which do not limit bodies of bytes.
   */
  readonly maxBytes?: number
}

/** A body for clients, which load only the writers of their own operations. */
export interface ClientBody extends RequestBody {
  readonly write: WriteBody
}

/** Writes a body and its content type. Throws `TypeError` for a value that cannot be written. */
export type WriteBody = (media: Media, value: unknown, written: Written) => void

/** Returns a content type without its parameters, in lower case. */
export const essence = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Returns the charset of a content type; `utf-8` if it names none. */
export const charsetOf = (type: string): string => /;\s*charset\s*=\s*("?)([^\s;"]*)\1/i.exec(type)?.[2] ?? 'utf-8'

/**
 * Returns how well a declared type or range fits a sent type; negative if it does not. A type ranks above a range, and a
 * range above the range of all types; among equals, each parameter that both have counts for, and each further declared
 * parameter against. A parameter with two values is no fit, apart from the charset.
 */
export function rankOf(declared: string, sent: string): number {
  const whole = essence(declared)
  const [start = '', end] = whole.replace('*/*', '*').split('*')
  const type = essence(sent)
  if (end === undefined ? type !== start : !(type.startsWith(start) && type.endsWith(end))) return -1
  const base = end === undefined ? 200 : whole === '*/*' ? 50 : 100
  if (!declared.includes(';')) return base
  const given = parametersIn(sent)
  const ranks = [...parametersIn(declared)].map(([name, value]) => {
    if (name === 'charset') return 0
    return given.has(name) ? (given.get(name) === value ? 1 : -1000) : -1
  })
  return Math.max(
    -1,
    ranks.reduce((sum, rank) => sum + rank, base),
  )
}

/** Returns the parameters of a content type, keyed by name in lower case. */
const parametersIn = (type: string): ReadonlyMap<string, string> =>
  new Map(
    type
      .split(';')
      .slice(1)
      .map(text => {
        const [name = '', value = ''] = text.split('=').map(part => part.trim())
        return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')]
      }),
  )

/** Returns the declared type or range that fits a sent type best, the first of equals; undefined if none fits. */
export const bestOf = (declared: readonly string[], sent: string): string | undefined =>
  declared
    .map(type => ({ type, rank: rankOf(type, sent) }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => b.rank - a.rank)[0]?.type

/** Whether a declared type or range covers a sent type. */
export const covers = (declared: string, sent: string): boolean => rankOf(declared, sent) >= 0

/** Whether a media type accepts a content type. */
export const takes = ({ type, aliases = [] }: Media, contentType: string): boolean =>
  [type, ...aliases].some(declared => covers(declared, contentType))

/** Writes a JSON body and its content type. */
export const toJson: WriteBody = ({ type }, value, written) => {
  written.headers.set('content-type', type)
  written.body = JSON.stringify(value)
}

/** Writes a body of any other kind and its content type. */
export const toBody: WriteBody = (media, value, written) => {
  const { headers, signal } = written
  headers.set('content-type', media.type)
  const body = writeMedia(media, value, headers)
  // `fetch` may read a stream to its end even after an abort, so the signal ends the stream.
  written.body = body instanceof ReadableStream ? body.pipeThrough(new TransformStream(), { signal }) : body
}

/** Returns a value in the encoding of its media type. */
export const writeMedia = ({ kind }: Media, value: unknown, headers: Headers): BodyInit =>
  kind === 'json' ? JSON.stringify(value) : kind.write(value, headers)

/** Returns the members of a body with a content type; empty for a value that is no object. */
export const taken = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
