import { hash } from 'node:crypto'

/** The sizes of SHA-256's input block and of its result, in bytes. */
const blockSize = 64
const hashSize = 32

/** The maximal size in bytes of a text that is assembled in a preallocated buffer. */
const usualSize = 4096

/**
 * Returns a function that computes HMAC-SHA256 (RFC 2104) under one key of at most 64 bytes, for texts in UTF-8. Each
 * character of the result is one byte. `createHmac` would make an object of OpenSSL for each text, which costs half as
 * much as both hashes, and a hash in a buffer costs twice as much as a hash in a text.
 */
export function hmacSha256(key: Uint8Array): (text: string) => string {
  if (key.length > blockSize) throw new Error(`a key of HMAC has at most ${blockSize} bytes`)
  const inner = Buffer.alloc(blockSize + usualSize)
  const outer = Buffer.alloc(blockSize + hashSize)
  for (let i = 0; i < blockSize; i += 1) {
    inner[i] = (key[i] ?? 0) ^ 0x36
    outer[i] = (key[i] ?? 0) ^ 0x5c
  }
  return text => {
    outer.write(hash('sha256', padded(inner, text), 'binary'), blockSize, 'latin1')
    return hash('sha256', outer, 'binary')
  }
}

/** Returns the inner key followed by a text. */
function padded(inner: Buffer, text: string): Uint8Array {
  // In UTF-8, a UTF-16 unit takes at most three bytes.
  if (3 * text.length <= usualSize) return inner.subarray(0, blockSize + inner.write(text, blockSize))
  return Buffer.concat([inner.subarray(0, blockSize), Buffer.from(text)])
}
