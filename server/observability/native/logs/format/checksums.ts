import { crc32 } from 'node:zlib'

/** The first number of bytes with a checksum: the version of their form. Bytes of the first version have none. */
const checkedVersion = 2

/** The bytes of the two numbers before those that the checksum is of: `checkedVersion` and the checksum. */
const headBytes = 8

/**
 * Returns bytes with a checksum of them (CRC-32), which goes on from `before`, the checksum of the bytes before.
 * All numbers are little-endian, as all platforms of Node.js have them.
 */
export function withChecksum(bytes: Uint8Array, before = 0): Uint8Array {
  const stored = new Uint8Array(headBytes + bytes.length)
  new Uint32Array(stored.buffer, 0, 2).set([checkedVersion, crc32(bytes, before)])
  stored.set(bytes, headBytes)
  return stored
}

/** Whether bytes have a checksum. */
export const hasChecksum = (stored: Uint8Array): boolean =>
  stored.length >= headBytes && firstNumber(stored) === checkedVersion

/**
 * Returns the bytes that `withChecksum` was given with the same checksum before, which share the memory; undefined if
 * they or the checksum have changed.
 */
export function unchanged(stored: Uint8Array, before = 0): Uint8Array | undefined {
  const bytes = stored.subarray(headBytes)
  const checksum = new DataView(stored.buffer, stored.byteOffset).getUint32(4, true)
  return checksum === crc32(bytes, before) ? bytes : undefined
}

/** Returns the number in the first four bytes; -1 without them. */
export const firstNumber = (bytes: Uint8Array): number =>
  bytes.length < 4 ? -1 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
