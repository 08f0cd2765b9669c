import { invalidPayload } from '../payload-faults.ts'
import type { MessageReader } from './message-reader.ts'

/** The wire types of protobuf that occur in messages of telemetry. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** How values of a kind are read from protobuf, and from JSON by the rules of OTLP. Both readers throw PAYLOAD_INVALID. */
export interface Kind<Value> {
  readonly wire: (typeof wireTypes)[keyof typeof wireTypes]
  /** Reads a value after its tag; may throw the errors of the reader too. */
  fromProtobuf(reader: MessageReader): Value
  /** Reads a value that is not null; `name` is the name of the field. */
  fromJson(value: unknown, name: string): Value
}

export const text: Kind<string> = {
  wire: wireTypes.bytes,
  fromProtobuf: reader => reader.stringVerify(),
  fromJson(value, name) {
    if (typeof value !== 'string' || !value.isWellFormed()) throw invalidField(name, 'a string of Unicode characters')
    return value
  },
}

export const flag: Kind<boolean> = {
  wire: wireTypes.varint,
  fromProtobuf: reader => reader.bool(),
  fromJson(value, name) {
    if (typeof value !== 'boolean') throw invalidField(name, 'true or false')
    return value
  },
}

/** Values of uint32, and of enums that OTLP writes as numbers. */
export const small: Kind<number> = {
  wire: wireTypes.varint,
  fromProtobuf: reader => reader.uint32(),
  fromJson(value, name) {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
      throw invalidField(name, 'an integer of 32 bits')
    return value
  },
}

/** Values of enums; a negative one, which no enum of OTLP has, is read from JSON as 0. */
export const enumeration: Kind<number> = {
  ...small,
  fromJson(value, name) {
    const isNegative = typeof value === 'number' && Number.isInteger(value) && value < 0 && value >= -(2 ** 31)
    return isNegative ? 0 : small.fromJson(value, name)
  },
}

/** Floating-point numbers; JSON has texts for the numbers that JSON cannot write. */
export const double: Kind<number> = {
  wire: wireTypes.fixed64,
  fromProtobuf: reader => reader.double(),
  fromJson(value, name) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number !== 'number' || (Number.isNaN(number) && value !== 'NaN')) throw invalidField(name, 'a number')
    return number
  },
}

/** Integers of 64 bits as the nearest floating-point numbers. */
export const fixed64: Kind<number> = {
  wire: wireTypes.fixed64,
  fromProtobuf(reader) {
    const low = reader.fixed32()
    return reader.fixed32() * 2 ** 32 + low
  },
  fromJson: (value, name) => Number(integerOf(value, name)),
}

/** Signed integers of 64 bits as the nearest floating-point numbers. */
export const sfixed64: Kind<number> = {
  ...fixed64,
  fromProtobuf(reader) {
    const low = reader.fixed32()
    return reader.sfixed32() * 2 ** 32 + low
  },
}

/** A varint as the nearest floating-point number. */
export const int64: Kind<number> = {
  wire: wireTypes.varint,
  fromProtobuf: reader => reader.integer(),
  fromJson: fixed64.fromJson,
}

/** Integers of 64 bits in their decimal form. */
export const integerText: Kind<string> = {
  wire: wireTypes.varint,
  fromProtobuf: reader => reader.int64().toString(),
  fromJson: (value, name) => String(integerOf(value, name)),
}

/** Times in nanoseconds since 1970, which are read as whole milliseconds. */
export const nanoseconds: Kind<number> = {
  wire: wireTypes.fixed64,
  fromProtobuf(reader) {
    const low = reader.fixed32()
    // 2^32 ns are 4294.967296 ms; the products stay below 2^53, so the result is exact.
    const high = reader.fixed32()
    return high * 4294 + Math.floor((high * 967_296 + low) / 1_000_000)
  },
  fromJson: (value, name) => Number(integerOf(value, name) / 1_000_000n),
}

/** The number of nanoseconds since 1970 from which times do not fit into 64 bits. */
const endOfTime = 2n ** 64n

/** Times in nanoseconds since 1970, without loss. */
export const exactNanoseconds: Kind<bigint> = {
  wire: wireTypes.fixed64,
  fromProtobuf(reader) {
    const low = BigInt(reader.fixed32())
    return (BigInt(reader.fixed32()) << 32n) | low
  },
  fromJson(value, name) {
    const nanos = integerOf(value, name)
    if (nanos < 0n || nanos >= endOfTime) throw invalidField(name, 'a number of nanoseconds since 1970')
    return nanos
  },
}

/** Ids of traces and spans in lower-case hexadecimal digits, of any length; JSON has the digits in any case. */
export const hexId: Kind<string> = {
  wire: wireTypes.bytes,
  fromProtobuf: reader => Buffer.from(reader.bytes()).toString('hex'),
  fromJson: (value, name) => text.fromJson(value, name).toLowerCase(),
}

/** Bytes as base64. */
export const base64: Kind<string> = {
  wire: wireTypes.bytes,
  fromProtobuf: reader => Buffer.from(reader.bytes()).toString('base64'),
  fromJson: text.fromJson,
}

/** Reads an integer that JSON writes as a string or as a number. */
function integerOf(value: unknown, name: string): bigint {
  const isText = typeof value === 'string' && /^-?\d{1,20}$/.test(value)
  if (!isText && !(typeof value === 'number' && Number.isInteger(value)))
    throw invalidField(name, 'an integer, as a string or as a number')
  return BigInt(value)
}

/** Returns the error of a field of JSON; `expected` says what its value must be. */
export const invalidField = (name: string, expected: string) =>
  invalidPayload(`has a field ${name} that is not ${expected}`)
