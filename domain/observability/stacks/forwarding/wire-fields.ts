import { malformedMessage } from '../../ingest/payload-faults.ts'

/** A field of a message of protobuf as it is written. */
export interface WireField {
  readonly number: number
  /** The tag and the value. */
  readonly raw: Uint8Array
  /** The bytes of a value with a length; absent for other values. */
  readonly bytes?: Uint8Array
}

/** The sizes of values without a length, by wire type. */
const sizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/**
 * The largest number of a field (protobuf, Language Guide, "Assigning Field Numbers"). Many decoders drop the upper bits
 * of a larger number, and so would read another field.
 */
const maxNumber = 2 ** 29 - 1

/**
 * Reads the fields of a message one after the other. Throws PAYLOAD_INVALID for groups and malformed messages, such as
 * those with a number that no field may have.
 */
export function* wireFields(message: Uint8Array): Generator<WireField, void, undefined> {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; shift < 10; shift += 1) {
      const byte = message[at]
      if (byte === undefined) break
      at += 1
      value += (byte & 127) * 128 ** shift
      if (byte < 128) return value
    }
    throw malformedMessage()
  }
  while (at < message.length) {
    const start = at
    const tag = varint()
    const [number, wire] = [Math.floor(tag / 8), tag % 8]
    let bytes: Uint8Array | undefined
    if (wire === 0) varint()
    else if (wire === 2) {
      const length = varint()
      bytes = message.subarray(at, at + length)
      at += length
    } else at += sizes[wire] ?? Infinity
    if (at > message.length || number === 0 || number > maxNumber) throw malformedMessage()
    yield { number, raw: message.subarray(start, at), ...(bytes && { bytes }) }
  }
}
