/** A request as a host hands it over: nothing decoded, nothing read. */
export interface WireRequest {
  readonly method: string
  /** The raw request target: path, and `?` with the query when there is one. */
  readonly target: string
  /** By lower-case name; a header sent several times is joined with `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Absent: the request has no body. Read at most once; not reading it is fine. */
  readonly body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
  readonly clientAddress: string
}

/** An answer as a host writes it. */
export interface WireAnswer {
  readonly status: number
  /** By the name to write; whoever has the answer may add some. */
  readonly headers: Record<string, string>
  /** Absent: no body. Hosts send none on HEAD, nor with 204 and 304. */
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Answers every request; never rejects. */
export type Dispatch = (request: WireRequest) => Promise<WireAnswer>
