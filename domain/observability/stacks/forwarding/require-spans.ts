import { decodeSpans } from '../../ingest/decode-spans.ts'
import { invalidPayload } from '../../ingest/payload-faults.ts'
import type { OtlpFormat } from '../../sent-body.ts'

/**
 * Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE for a request with spans that the platform could not read again, such as
 * spans without ids, texts that are not Unicode and values of many levels: these would spoil the answers of a store.
 */
export function requireSpans(body: Uint8Array, format: OtlpFormat): void {
  const { message } = decodeSpans({ body, coding: 'identity', format, staticAttributes: {} })
  if (message !== '') throw invalidPayload(`has a span that is refused: ${message}`)
}
