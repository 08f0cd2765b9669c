import { crc32 } from 'node:zlib'
import { resourceOfText, spanOfText } from '../../../../domain/observability/traces/span-text.ts'
import type { SpanResource, TraceSpan } from '../../../../domain/observability/traces/span.ts'
import { idOfBytes } from './trace-tables.ts'

/** The columns of a span beside its text. */
export interface SpanKey {
  /** The number of its trace in the index. */
  readonly trace: number
  readonly span: Uint8Array
  /** The start in microseconds since 1970. */
  readonly start: number
  /** The number of its resource in the file. */
  readonly resource: number
  /** 1 for a span with an error, else 0. */
  readonly error: number
}

/** The number of hexadecimal digits of a checksum, with which texts begin. */
export const checksumDigits = 8

/** The first character of texts of the first version, which have no checksum: they are lists in JSON. */
const startOfList = '['

/** The error of a span or resource that is malformed, or that has changed since it was written. */
class MalformedSpan extends Error {
  override readonly name = 'MalformedSpan'
}

/** Returns the text of a span as a file has it: after a checksum (CRC-32) of the text and of the rest of the row. */
export const storedSpan = (key: SpanKey, text: string): string => withChecksum(text, checksumOf(key))

/** Returns the text of a resource as a file has it: after a checksum (CRC-32) of the text. */
export const storedResource = (text: string): string => withChecksum(text)

/** Returns the span of a row. Throws `MalformedSpan`. */
export function spanOfRow(key: SpanKey, stored: string, traceId: string, resource: SpanResource): TraceSpan {
  const spanId = idOfBytes(key.span)
  const name = (): string => `the span ${spanId} of the trace ${key.trace}`
  return parsed(name, unchanged(name, stored, checksumOf(key)), text => spanOfText(text, { traceId, spanId, resource }))
}

/** Returns the resource of a row. Throws `MalformedSpan`. */
export function resourceOfRow(id: number, stored: string): SpanResource {
  const name = (): string => `the resource ${id}`
  return parsed(name, unchanged(name, stored), resourceOfText)
}

const checksumOf = ({ error, resource, span, start, trace }: SpanKey): number =>
  crc32(span, crc32(Float64Array.of(trace, start, resource, error)))

const withChecksum = (text: string, before = 0): string => hexadecimal(crc32(text, before)) + text

const hexadecimal = (checksum: number): string => checksum.toString(16).padStart(checksumDigits, '0')

/** Returns a text without its checksum, which goes on from `before`. */
function unchanged(name: () => string, stored: string, before = 0): string {
  if (stored.startsWith(startOfList)) return stored
  const text = stored.slice(checksumDigits)
  if (!stored.startsWith(hexadecimal(crc32(text, before))))
    throw new MalformedSpan(`${name()} differs from its checksum`)
  return text
}

function parsed<T>(name: () => string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch (error) {
    throw new MalformedSpan(`${name()} is malformed`, { cause: error })
  }
}
