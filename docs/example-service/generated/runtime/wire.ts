// Copied by ninefold. Do not edit: generate writes it again.

/** A request from a host, undecoded and unread. */
export interface WireRequest {
  readonly method: string
  /** The raw request target: path, and `?` with the query when there is one. */
  readonly target: string
  /** By lower-case name; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Absent without a body. It is read at most once, and may be left unread. */
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  /** Aborted if the caller disconnects. */
  readonly signal: AbortSignal
  readonly clientAddress: string
}

/** An answer for a host. */
export interface WireAnswer {
  readonly status: number
  /** Headers by the name to write; later code may add some. */
  readonly headers: Record<string, string>
  /** Absent: no body. Hosts send none on HEAD, nor with 204 and 304. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Answers every request; never rejects. */
export type Dispatch = (request: WireRequest) => Promise<WireAnswer>
