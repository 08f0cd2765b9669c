import { inflate } from './inflate.ts'
import { invalidPayload, readable } from './payload-faults.ts'
import type { OtlpFormat, SentBody } from '../sent-body.ts'
import { Budget, MessageReader } from './wire/message-reader.ts'

/** Reads a request of OTLP, whose lists are read while they are iterated. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE. */
export function readOtlp<Request>(kind: RequestKind<Request>, sent: SentBody<OtlpFormat>): Request {
  const bytes = inflate(sent)
  return sent.format === 'otlp-json'
    ? kind.fromJson(jsonOf(bytes), 'body')
    : kind.whole(new MessageReader(bytes, new Budget()))
}

/** The kind of a request. */
interface RequestKind<Request> {
  fromJson(value: unknown, name: string): Request
  whole(reader: MessageReader): Request
}

/**
 * Parses JSON, after its values are counted: small values take much more memory than their text. `revive` changes the
 * values as that of `JSON.parse` does. Throws PAYLOAD_INVALID and PAYLOAD_TOO_LARGE.
 */
export function jsonOf(bytes: Uint8Array, revive?: (name: string, value: unknown) => unknown): unknown {
  new Budget().spend(countValues(bytes))
  return readable('is not JSON in UTF-8', () => {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), revive)
    if (value === null) throw invalidPayload('is null')
    return value
  })
}

/** Counts the bytes of JSON after which a value begins: `,`, `[` and `{`. */
function countValues(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
  return count
}
