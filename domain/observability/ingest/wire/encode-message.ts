import protobuf from 'protobufjs/minimal.js'
import { wireTypes } from './kinds.ts'

/** A field of a message: its number, and a text, an integer or an encoded message. */
export type Field = readonly [number: number, value: string | number | Uint8Array]

/** Encodes a message of protobuf. */
export function encodeMessage(fields: Iterable<Field>): Uint8Array<ArrayBuffer> {
  const writer = protobuf.Writer.create()
  for (const [number, value] of fields) {
    if (typeof value === 'number') {
      writer.uint32((number << 3) | wireTypes.varint).int64(value)
    } else {
      writer.uint32((number << 3) | wireTypes.bytes)
      if (typeof value === 'string') writer.string(value)
      else writer.bytes(value)
    }
  }
  return Uint8Array.from(writer.finish())
}
