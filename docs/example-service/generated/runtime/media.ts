// Copied by ninefold. Do not edit: generate writes it again.

import type { Written } from './parameters/write.ts'
import type { Faults } from './validation.ts'

/** What a request may weigh, and how deep its JSON may be nested. Bodies of bytes are the handler's to bound. */
export interface Limits {
  readonly urlBytes: number
  /** Of a body that is read at once; of a stream, each item. */
  readonly bodyBytes: number
  readonly jsonDepth: number
  /** Of a multipart form with its files, all of which is held in memory. */
  readonly formBytes: number
  readonly formParts: number
}

/** The limits of conventions §1, and those of forms. */
export const defaultLimits: Limits = {
  urlBytes: 16_384,
  bodyBytes: 1_048_576,
  jsonDepth: 100,
  formBytes: 10_485_760,
  formParts: 1000,
}

/** The bytes of a body as they arrive. */
export type Chunks = AsyncIterable<Uint8Array<ArrayBuffer>>

/** What reading the body of a request needs beside its bytes. */
export interface Reading {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly limits: Limits
  /** Takes what is wrong with a body that is read at once. */
  readonly faults: Faults
  /** The error that reading a stream of items ends with. */
  readonly refuse: (violations: Faults['list']) => Error
}

/** The bytes of an answer; null where it has none. */
export type AnswerBody = ReadableStream<Uint8Array<ArrayBuffer>> | null

/** How bodies of another form than JSON travel: a value that routes hold, so that only who has such bodies loads it. */
export interface Codec {
  readonly name: 'text' | 'bytes' | 'form' | 'multipart' | 'lines' | 'events' | 'choice'
  /** Set where nothing at all is a value: a required body without bytes is then there. */
  readonly takesNothing?: true
  /** Throws `TypeError` for a value that it cannot write. */
  write(value: unknown): BodyInit
  /** The content type of a value, where it is not the declared one: undefined where only the platform knows it. */
  typeOf?(value: unknown): string | undefined
  /** Undefined when the body cannot be read, which is then among the faults. */
  read(body: Chunks, reading: Reading): Promise<unknown>
}

/** Text, or bytes that nobody looks into, which can be answered too. */
export interface PlainCodec extends Codec {
  readonly name: 'text' | 'bytes'
  readAnswer(body: AnswerBody): unknown
}

/** A stream of items, which can be answered too. Who reads it slowly holds back who writes it. */
export interface StreamCodec extends Codec {
  readonly name: 'lines' | 'events'
  write(items: unknown): ReadableStream<Uint8Array<ArrayBuffer>>
  /** The items of an answer, unchecked, each as soon as it has arrived; leaving early ends the call. */
  readAnswer(body: AnswerBody): AsyncIterable<unknown>
}

/** How a body is written: as JSON, or as its codec says. */
export type BodyKind = 'json' | Codec

/** One media type of a body. */
export interface Media {
  /** As declared; may be a range such as `image/*`. */
  readonly type: string
  /** Further types and ranges of the same form: taken, never sent. */
  readonly aliases?: readonly string[]
  readonly kind: BodyKind
}

export interface RequestBody extends Media {
  readonly required: boolean
}

/** A body that clients send. They load how only those are written that their operations have. */
export interface ClientBody extends RequestBody {
  readonly write: WriteBody
}

/** Writes a body and its content type. Throws `TypeError` where the value is none. */
export type WriteBody = (media: Media, value: unknown, written: Written) => void

/** A content type without its parameters, in lower case. */
export const essence = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

/** Whether a declared type is, or its range holds, the type that was sent; parameters such as charset do not count. */
export function covers(declared: string, sent: string): boolean {
  const [start = '', end] = essence(declared).replace('*/*', '*').split('*')
  const type = essence(sent)
  return end === undefined ? type === start : type.startsWith(start) && type.endsWith(end)
}

/** Whether a content type is among those that a media type takes. */
export const takes = ({ type, aliases = [] }: Media, contentType: string): boolean =>
  [type, ...aliases].some(declared => covers(declared, contentType))

/** The `write` of bodies that are JSON. */
export const toJson: WriteBody = ({ type }, value, written) => {
  written.headers.set('content-type', type)
  written.body = JSON.stringify(value)
}

/** The `write` of all other bodies. */
export const toBody: WriteBody = (media, value, written) => {
  const { kind, type } = media
  const contentType = kind !== 'json' && kind.typeOf ? kind.typeOf(value) : type
  if (contentType) written.headers.set('content-type', contentType)
  const body = writeMedia(media, value)
  // After an abort `fetch` may still read a stream on to its end.
  const { signal } = written
  written.body = body instanceof ReadableStream ? body.pipeThrough(new TransformStream(), { signal }) : body
}

/** A value as the body of a request. Throws `TypeError` where it is none. */
export function writeMedia({ kind }: Media, value: unknown): BodyInit {
  return kind === 'json' ? JSON.stringify(value) : kind.write(value)
}
