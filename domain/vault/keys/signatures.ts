import { constants, sign, verify, type KeyObject, type SignKeyObjectInput } from 'node:crypto'
import { fitsEcDigest, signEcDigest, type EcEncoding } from './ec-digests.ts'
import { fitsRsaDigest, signRsaDigest } from './rsa-digests.ts'
import type { SignScheme } from './schemes.ts'

/** The signed input: the data, or the digest of the data by the hash of the scheme. Ed25519 takes no digests. */
export type Signed = { readonly data: Uint8Array } | { readonly digest: Uint8Array }

/** Returns the length of the digests that a scheme signs, in bytes; undefined for Ed25519. */
export function digestBytes(scheme: SignScheme): number | undefined {
  return scheme.kind === 'ed25519' ? undefined : { sha256: 32, sha384: 48, sha512: 64 }[scheme.hash]
}

/** Signs data or a digest. `encoding` is the encoding of ECDSA signatures. Throws for a digest of another length. */
export function signatureOf(scheme: SignScheme, key: KeyObject, signed: Signed, encoding: EcEncoding): Buffer {
  if ('data' in signed) return sign(hashOf(scheme), signed.data, { key, ...optionsOf(scheme, encoding) })
  requireDigest(scheme, signed.digest)
  if (scheme.kind === 'ec') return signEcDigest(scheme, key, signed.digest, encoding)
  return signRsaDigest(scheme, key, signed.digest)
}

/**
 * Signs data as `signatureOf` does, but in the thread pool of Node.js: the hash of long data and RSA block no other call.
 * The data must not change until the promise resolves.
 */
export function signatureInPool(
  scheme: SignScheme,
  key: KeyObject,
  data: Uint8Array,
  encoding: EcEncoding,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = (error: Error | null, signature: Buffer): void => (error === null ? resolve(signature) : reject(error))
    sign(hashOf(scheme), data, { key, ...optionsOf(scheme, encoding) }, end)
  })
}

/** True if `signature` is a signature of data or a digest in the encoding. Throws for a digest of another length. */
export function fitsSignature(
  scheme: SignScheme,
  key: KeyObject,
  signed: Signed,
  { encoding, signature }: { readonly encoding: EcEncoding; readonly signature: Uint8Array },
): boolean {
  if (scheme.kind === 'ec' && encoding === 'p1363' && signature.length !== 2 * scheme.bytes) return false
  if ('data' in signed && !hasLength(scheme, signature)) return false
  if ('data' in signed) return verify(hashOf(scheme), signed.data, { key, ...optionsOf(scheme, encoding) }, signature)
  requireDigest(scheme, signed.digest)
  if (scheme.kind === 'ec') return fitsEcDigest(scheme, key, signed.digest, { encoding, signature })
  return fitsRsaDigest(scheme, key, signed.digest, signature)
}

/**
 * Whether a signature of RSA is as long as the modulus; true for other schemes. OpenSSL takes a signature that lacks its
 * leading zero bytes, which RFC 8017 refuses (8.1.2 and 8.2.2, step 1).
 */
const hasLength = (scheme: SignScheme, { length }: Uint8Array): boolean =>
  (scheme.kind !== 'rsa-pss' && scheme.kind !== 'rsa-pkcs1') || length === scheme.bits / 8

const hashOf = (scheme: SignScheme): string | null => (scheme.kind === 'ed25519' ? null : scheme.hash)

type Options = Pick<SignKeyObjectInput, 'dsaEncoding' | 'padding' | 'saltLength'>

function optionsOf({ kind }: SignScheme, encoding: EcEncoding): Options {
  if (kind === 'ec') return { dsaEncoding: encoding === 'der' ? 'der' : 'ieee-p1363' }
  if (kind === 'rsa-pss') return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  return kind === 'rsa-pkcs1' ? { padding: constants.RSA_PKCS1_PADDING } : {}
}

/** Throws `RangeError` unless the scheme signs digests of this length. */
function requireDigest(
  scheme: SignScheme,
  digest: Uint8Array,
): asserts scheme is Exclude<SignScheme, { kind: 'ed25519' }> {
  const bytes = digestBytes(scheme)
  if (bytes === undefined) throw new RangeError('Ed25519 signs data, and no digests')
  if (digest.length !== bytes) throw new RangeError(`the digest must have ${bytes} bytes, and has ${digest.length}`)
}
