import type { Written } from './parameters/write.ts'
import { isRecord } from './validation.ts'
import type { Check, Faults } from './validation.ts'

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
  /** Throws `TypeError` for a value that it cannot write. The declared content type is among `headers`, to be changed. */
  write(value: unknown, headers: Headers): BodyInit
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
  /**
   * The most bytes that it may have, of whatever kind: more is answered with 413 as soon as it is known. Absent: the
   * limits of the dispatcher hold, which bound no bodies of bytes.
   */
  readonly maxBytes?: number
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
  const { headers, signal } = written
  headers.set('content-type', media.type)
  const body = writeMedia(media, value, headers)
  // After an abort `fetch` may still read a stream on to its end.
  written.body = body instanceof ReadableStream ? body.pipeThrough(new TransformStream(), { signal }) : body
}

/** A value as its media type writes it. */
export const writeMedia = ({ kind }: Media, value: unknown, headers: Headers): BodyInit =>
  kind === 'json' ? JSON.stringify(value) : kind.write(value, headers)
/** The members of a body that says its content type; none for a value that is no object. */
export const taken = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** Judges a body that says its content type by the check of that type; ranges come last. */
export function checkChoice(value: unknown, faults: Faults, checks: Readonly<Record<string, Check>>): boolean {
  const { body, contentType } = taken(value)
  const [, check] = Object.entries(checks).find(([type]) => covers(type, String(contentType))) ?? []
  return check ? check(body, faults) : faults.add('body', 'must have one of the declared content types')
}
