import { fieldInvalid } from '../../../output/shared/errors.ts'
import type { OtlpFormat, PushFormat, SentBody } from '../sent-body.ts'
import { withStatus } from './plane-errors.ts'

/** How the body of a request is written. */
export type PushedForm<Format extends PushFormat = PushFormat> = Pick<SentBody<Format>, 'coding' | 'format'>

/** The headers of a request that say how its body is written. */
export interface FormHeaders {
  readonly 'content-type'?: string | undefined
  readonly 'content-encoding'?: string | undefined
}

/** The media type of messages in protobuf. */
export const protobufType = 'application/x-protobuf'

/** Returns the form of a request of OTLP/HTTP. Throws FIELD_INVALID with status 415 for another form. */
export function otlpForm(headers: FormHeaders): PushedForm<OtlpFormat> {
  const coding = codingOf(headers) ?? 'identity'
  if (coding !== 'gzip' && coding !== 'identity') throw unsupported('Content-Encoding', 'must be gzip, or absent')
  const type = typeOf(headers)
  if (type === 'application/json') return { format: 'otlp-json', coding }
  if (type === protobufType) return { format: 'otlp-protobuf', coding }
  throw unsupported('Content-Type', `must be ${protobufType} or application/json`)
}

/** Returns the form of a request of remote write 1.0. Throws FIELD_INVALID with status 415 for another form. */
export function remoteWriteForm(headers: FormHeaders): PushedForm<'remote-write'> {
  if (codingOf(headers) !== 'snappy') throw unsupported('Content-Encoding', 'must be snappy')
  if (typeOf(headers) !== protobufType) throw unsupported('Content-Type', `must be ${protobufType}`)
  const [, message] = /;\s*proto="?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? []
  if (message !== undefined && message !== 'prometheus.WriteRequest')
    throw unsupported('Content-Type', 'must be that of remote write 1.0, prometheus.WriteRequest')
  return { format: 'remote-write', coding: 'snappy' }
}

/** Returns the media type of a request without its parameters. */
export const typeOf = (headers: FormHeaders): string | undefined =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase()

const codingOf = (headers: FormHeaders): string | undefined => headers['content-encoding']?.trim().toLowerCase()

const unsupported = (field: string, description: string) =>
  withStatus(415, fieldInvalid(`${field} ${description}`, { badRequest: [{ field, description }] }))
