import { createHash } from 'node:crypto'
import { combineCrc32c, crc32cText } from '../../resources/crc32c.ts'
import type { StoredPart } from './uploads-store.ts'

/** The checksums of an object that was uploaded in parts, as S3 makes them. */
export interface CompositeSums {
  /** The MD5 of the MD5s of the parts in hex, `-` and the number of parts. */
  readonly etag: string
  /** The SHA-256 of the digests of the parts in Base64, `-` and the number of parts. */
  readonly sha256: string
  /** The CRC-32C of the whole content in Base64. */
  readonly crc32c: string
}

/** Returns the checksums of parts one after the other; no byte is read again. */
export function compositeSums(
  parts: readonly Pick<StoredPart, 'etag' | 'checksum_sha256' | 'crc32c' | 'size'>[],
): CompositeSums {
  const md5 = createHash('md5')
  const sha256 = createHash('sha256')
  let crc32c = 0
  for (const part of parts) {
    md5.update(Buffer.from(part.etag, 'hex'))
    sha256.update(Buffer.from(part.checksum_sha256, 'base64'))
    crc32c = combineCrc32c(crc32c, part.crc32c, part.size)
  }
  return {
    etag: `${md5.digest('hex')}-${parts.length}`,
    sha256: `${sha256.digest('base64')}-${parts.length}`,
    crc32c: crc32cText(crc32c),
  }
}
