import { crc32 } from 'node:zlib'
import { MalformedBlock } from './malformed-block.ts'

/** The entries of each stream in a block: a stream has the entries from the end of the stream before up to its own end. */
export interface StreamRuns {
  /** The ids of the streams, ascending. */
  readonly streams: Uint32Array
  readonly ends: Uint32Array
}

/** The bounds of the entries of a block, by which reads select blocks. */
export interface BlockBounds {
  readonly firstNumber: number
  readonly lastNumber: number
  /** The first and the last time in nanoseconds since 1970. */
  readonly first: bigint
  readonly last: bigint
  /** The ingest times of the first and of the last entry, in milliseconds since 1970. */
  readonly firstIngest: number
  readonly lastIngest: number
  /** The bytes of its lines. */
  readonly bytes: number
}

/** The bytes of a checksum. */
const checksumBytes = 4

/** Returns the runs of a block with some bounds as a file has them: after a checksum (CRC-32) of the runs and the bounds. */
export function encodeRuns({ ends, streams }: StreamRuns, bounds: BlockBounds): Uint8Array {
  const numbers = new Uint32Array(1 + streams.length * 2)
  numbers.set(streams, 1)
  numbers.set(ends, 1 + streams.length)
  const bytes = new Uint8Array(numbers.buffer)
  numbers[0] = checksumOf(bytes, bounds)
  return bytes
}

/** Returns the runs of some bytes, whatever their checksum is. Throws `MalformedBlock`. */
export function decodeRuns(bytes: Uint8Array): StreamRuns {
  if (bytes.length % checksumBytes !== 0) throw new MalformedBlock('has malformed streams')
  const own = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes)
  const count = Math.floor(bytes.length / 8)
  const at = own.byteOffset + (hasChecksum(bytes) ? checksumBytes : 0)
  return {
    streams: new Uint32Array(own.buffer, at, count),
    ends: new Uint32Array(own.buffer, at + count * 4, count),
  }
}

/** Throws `MalformedBlock` if the bytes of runs or the bounds of their block differ from the checksum. */
export function requireUnchanged(bytes: Uint8Array, bounds: BlockBounds): void {
  if (!hasChecksum(bytes)) return
  const checksum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  if (checksum !== checksumOf(bytes, bounds)) throw new MalformedBlock('differs from its checksum')
}

/** Whether runs have a checksum: those of the first version have none, and two numbers of 32 bits for each stream. */
const hasChecksum = ({ length }: Uint8Array): boolean => length % 8 === checksumBytes

function checksumOf(bytes: Uint8Array, bounds: BlockBounds): number {
  const { first, firstIngest, firstNumber, last, lastIngest, lastNumber } = bounds
  const numbers = Float64Array.of(firstNumber, lastNumber, firstIngest, lastIngest, bounds.bytes)
  return crc32(bytes.subarray(checksumBytes), crc32(BigInt64Array.of(first, last), crc32(numbers)))
}
