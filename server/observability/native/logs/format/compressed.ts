import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { firstNumber } from './checksums.ts'
import { MalformedBlock } from './malformed-block.ts'

/** The version of the columns of blocks, the first number of their bytes. */
export const version = 1

/** The first number of the bytes of a frame of zstd (RFC 8878 §3.1.1). */
const frameMark = 0xfd_2f_b5_28

/** Bytes below this number are stored as they are. */
const fewBytes = 256

/** How hard to compress: once for a commit, or once for the time that entries are kept. */
const levels = { fast: 1, lasting: 3 } as const

/** How bytes are compressed. */
export type Effort = keyof typeof levels

/** Compresses bytes that begin with `version`. */
export function compress(bytes: Uint8Array, effort: Effort): Uint8Array {
  if (bytes.length < fewBytes) return bytes
  const params = { [constants.ZSTD_c_compressionLevel]: levels[effort] }
  return zstdCompressSync(bytes, { params })
}

/** Returns the bytes that `compress` was given, with memory that begins at a multiple of 8. Throws `MalformedBlock`. */
export function decompress(stored: Uint8Array): Uint8Array {
  const plain = firstNumber(stored) === frameMark ? inflated(stored) : stored
  if (firstNumber(plain) !== version) throw new MalformedBlock('is malformed')
  return plain.byteOffset % 8 === 0 ? plain : Uint8Array.from(plain)
}

function inflated(stored: Uint8Array): Uint8Array {
  try {
    return zstdDecompressSync(stored)
  } catch (error) {
    throw new MalformedBlock('cannot be decompressed', { cause: error })
  }
}
