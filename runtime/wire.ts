import type { FieldViolation } from './errors.ts'

/** A request from a host, undecoded and unread. */
export interface WireRequest {
  readonly method: string
  /** The raw request target: path, and `?` with the query when there is one. */
  readonly target: string
  /** The headers, keyed by lower-case name; the values of a repeated header are joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body, which is read at most once and may be left unread; absent for a request without a body. */
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  /** The signal that aborts when the caller disconnects. */
  readonly signal: AbortSignal
  readonly clientAddress: string
  /** A fault of the request that its host has found; such a request is refused before its route is looked up. */
  readonly fault?: FieldViolation | undefined
}

/** An answer for a host. */
export interface WireAnswer {
  readonly status: number
  /**
   * The headers, keyed by name in the case in which they are sent; later code may add headers. A list is sent as a line
   * for each item, which `set-cookie` needs (RFC 6265 §3).
   */
  readonly headers: Record<string, string | string[]>
  /** The body; absent for an answer without a body. Hosts send no body for HEAD, 204 and 304. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Answers every request; never rejects. */
export type Dispatch = (request: WireRequest) => Promise<WireAnswer>

/** Returns the lines of an answer's headers as names and values; a list has a line for each item. */
export const headerLines = (headers: WireAnswer['headers']): [name: string, value: string][] =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map((line): [string, string] => [name, line]))
