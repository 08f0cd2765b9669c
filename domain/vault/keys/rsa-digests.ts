import {
  constants,
  createHash,
  privateEncrypt,
  publicDecrypt,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto'
import type { Hash, RsaSignScheme } from './schemes.ts'

// Node.js signs data and hashes the data itself; for a digest, the padding is made here and RSA runs without padding.

const saltBytes = 32

/** Signs a digest with RSA: EMSA-PKCS1-v1_5 or EMSA-PSS (RFC 8017, 9.1 and 9.2). */
export function signRsaDigest(scheme: RsaSignScheme, key: KeyObject, digest: Uint8Array): Buffer {
  const encoded =
    scheme.kind === 'rsa-pss' ? encodePss(scheme, digest, randomBytes(saltBytes)) : encodePkcs1(scheme, digest)
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded)
}

/** True if the signature is a signature of the digest. */
export function fitsRsaDigest(
  scheme: RsaSignScheme,
  key: KeyObject,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  const encoded = opened(scheme, key, signature)
  if (encoded === undefined) return false
  if (scheme.kind === 'rsa-pkcs1') return timingSafeEqual(encoded, encodePkcs1(scheme, digest))
  const salt = saltOf(scheme, encoded)
  return salt !== undefined && timingSafeEqual(encoded, encodePss(scheme, digest, salt))
}

/** Returns the encoded message in a signature; undefined if the length or the number is out of range. */
function opened({ bits }: RsaSignScheme, key: KeyObject, signature: Uint8Array): Buffer | undefined {
  if (signature.length !== bits / 8) return undefined
  try {
    return publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, signature)
  } catch {
    // The number of the signature is not below the modulus.
    return undefined
  }
}

/** The DER of a DigestInfo before the digest, keyed by hash (RFC 8017, 9.2 note 1). */
const digestInfos: Readonly<Record<Hash, Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha384: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
}

/** Encodes a digest by EMSA-PKCS1-v1_5 in a block as long as the modulus. */
function encodePkcs1({ bits, hash }: RsaSignScheme, digest: Uint8Array): Buffer {
  const info = Buffer.concat([digestInfos[hash], digest])
  const padding = Buffer.alloc(bits / 8 - info.length - 3, 0xff)
  return Buffer.concat([Buffer.of(0, 1), padding, Buffer.of(0), info])
}

/**
 * Encodes a digest with a salt by EMSA-PSS in a block as long as the modulus. The moduli have a multiple of 8 bits, so
 * the top bit of the block is zero.
 */
export function encodePss({ bits, hash }: RsaSignScheme, digest: Uint8Array, salt: Uint8Array): Buffer {
  const check = createHash(hash).update(Buffer.alloc(8)).update(digest).update(salt).digest()
  const block = Buffer.alloc(bits / 8 - check.length - 1)
  block[block.length - salt.length - 1] = 1
  block.set(salt, block.length - salt.length)
  mask(hash, block, check)
  return Buffer.concat([block, check, Buffer.of(0xbc)])
}

/** Returns the salt of an encoded message, which the caller encodes again to check the rest of the message. */
function saltOf({ hash }: RsaSignScheme, encoded: Buffer): Buffer | undefined {
  if (((encoded[0] ?? 0) & 0x80) !== 0) return undefined
  const checkBytes = createHash(hash).digest().length
  const blockBytes = encoded.length - checkBytes - 1
  const block = Buffer.from(encoded.subarray(0, blockBytes))
  mask(hash, block, encoded.subarray(blockBytes, -1))
  return block.subarray(-saltBytes)
}

/** Applies MGF1 of the seed to the block in place, and clears the top bit. */
function mask(hash: Hash, block: Buffer, seed: Uint8Array): void {
  const counter = Buffer.alloc(4)
  for (let at = 0, count = 0; at < block.length; count += 1) {
    counter.writeUInt32BE(count)
    const bytes = createHash(hash).update(seed).update(counter).digest()
    for (let i = 0; i < bytes.length && at < block.length; i += 1, at += 1)
      block[at] = (block[at] ?? 0) ^ (bytes[i] ?? 0)
  }
  block[0] = (block[0] ?? 0) & 0x7f
}
