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
export const compositeSums = (
  parts: readonly Pick<StoredPart, 'etag' | 'checksum_sha256' | 'crc32c' | 'size'>[],
): CompositeSums => ({
  etag: compositeEtag(parts),
  sha256: compositeSha256(parts),
  crc32c: crc32cText(parts.reduce((sum, part) => combineCrc32c(sum, part.crc32c, part.size), 0)),
})

/** Returns the ETag of parts one after the other. */
export function compositeEtag(parts: readonly Pick<StoredPart, 'etag'>[]): string {
  const md5 = createHash('md5')
  for (const { etag } of parts) md5.update(Buffer.from(etag, 'hex'))
  return `${md5.digest('hex')}-${parts.length}`
}

/** Returns the SHA-256 of parts one after the other, in the composite form of S3. */
export function compositeSha256(parts: readonly Pick<StoredPart, 'checksum_sha256'>[]): string {
  const sha256 = createHash('sha256')
  for (const { checksum_sha256 } of parts) sha256.update(Buffer.from(checksum_sha256, 'base64'))
  return `${sha256.digest('base64')}-${parts.length}`
}
