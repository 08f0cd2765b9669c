import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { damaged } from './snapshot-fault.ts'

/** The size of a chunk of plaintext, in bytes. */
export const chunkSize = 65_536

const algorithm = 'aes-256-gcm'
const tagSize = 16
const sealedSize = chunkSize + tagSize

/** The size of the random part of the nonces, in bytes, which stands before the first chunk. */
export const prefixSize = 7

/** The key of a snapshot, and the data that is authenticated with each chunk: the digest of the header. */
export interface ChunkKey {
  readonly key: Uint8Array
  readonly additional: Uint8Array
}

type Bytes = AsyncIterable<Uint8Array>

/**
 * Encrypts a stream by AES-256-GCM in chunks of 64 KiB, each with its tag (the STREAM construction): the nonce of a chunk
 * is the random prefix, the number of the chunk, and whether it is the last, so that chunks can be neither reordered,
 * repeated nor cut off. Yields the prefix first.
 */
export async function* sealChunks({ additional, key }: ChunkKey, source: Bytes): AsyncGenerator<Buffer> {
  const prefix = randomBytes(prefixSize)
  yield prefix
  let number = 0
  for await (const { bytes, isLast } of pieces(source, chunkSize)) {
    const cipher = createCipheriv(algorithm, key, nonceOf(prefix, number, isLast), { authTagLength: tagSize })
    cipher.setAAD(additional)
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
    number += 1
  }
}

/**
 * Decrypts the stream of `sealChunks`; a chunk is yielded only after it was authenticated. Throws `SnapshotFault` for
 * bytes that were altered, reordered or truncated.
 */
export async function* openChunks({ additional, key }: ChunkKey, source: Bytes): AsyncGenerator<Buffer> {
  const rest = source[Symbol.asyncIterator]()
  const { first, prefix } = await takePrefix(rest)
  let number = 0
  for await (const { bytes, isLast } of pieces(chained(first, rest), sealedSize)) {
    yield openChunk({ additional, key }, nonceOf(prefix, number, isLast), bytes, number)
    number += 1
  }
}

function openChunk({ additional, key }: ChunkKey, nonce: Buffer, bytes: Buffer, number: number): Buffer {
  const end = bytes.length - tagSize
  if (end < 0) throw damaged('its end is missing')
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagSize })
  decipher.setAAD(additional)
  decipher.setAuthTag(bytes.subarray(end))
  const plain = decipher.update(bytes.subarray(0, end))
  try {
    decipher.final()
    return plain
  } catch {
    plain.fill(0)
    throw damaged(`chunk ${number} is not authentic: it was altered or moved, or the rest of the file is missing`)
  }
}

/** Returns the nonce of a chunk: the prefix, the number in four bytes, and 1 for the last chunk. */
function nonceOf(prefix: Uint8Array, number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(prefixSize + 5)
  nonce.set(prefix)
  // Throws for a number that does not fit, so that no nonce is used twice.
  nonce.writeUInt32BE(number, prefixSize)
  nonce[prefixSize + 4] = Number(isLast)
  return nonce
}

interface Piece {
  readonly bytes: Buffer
  readonly isLast: boolean
}

/** Cuts a stream into pieces of `size` bytes; the last piece may be shorter, and is empty for an empty stream. */
async function* pieces(source: Bytes, size: number): AsyncGenerator<Piece> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const part of source) {
    parts.push(part)
    length += part.length
    if (length <= size) continue
    const bytes = Buffer.concat(parts)
    let at = 0
    // A full piece may be the last, so it is kept until more bytes arrive.
    for (; bytes.length - at > size; at += size) yield { bytes: bytes.subarray(at, at + size), isLast: false }
    parts = [bytes.subarray(at)]
    length = bytes.length - at
  }
  yield { bytes: Buffer.concat(parts), isLast: true }
}

async function takePrefix(
  source: AsyncIterator<Uint8Array>,
): Promise<{ readonly prefix: Buffer; readonly first: Buffer }> {
  let bytes = Buffer.alloc(0)
  while (bytes.length < prefixSize) {
    const next = await source.next()
    if (next.done === true) throw damaged('its end is missing')
    bytes = Buffer.concat([bytes, next.value])
  }
  return { prefix: bytes.subarray(0, prefixSize), first: bytes.subarray(prefixSize) }
}

async function* chained(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}
