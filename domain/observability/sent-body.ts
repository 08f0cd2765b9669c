/** The encodings of requests of OTLP/HTTP. */
export type OtlpFormat = 'otlp-json' | 'otlp-protobuf'

/** The encodings of requests that senders push. */
export type PushFormat = OtlpFormat | 'remote-write'

/** A request of a sender, as it arrived after its content coding was checked. */
export interface SentBody<Format extends PushFormat = PushFormat> {
  readonly format: Format
  /** The content coding of the body. */
  readonly coding: 'gzip' | 'identity' | 'snappy'
  readonly body: Uint8Array
}
