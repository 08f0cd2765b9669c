import type { KeyObject } from 'node:crypto'
import { p256, p384 } from '@noble/curves/nist.js'
import type { EcScheme } from './schemes.ts'

// Node.js has no signature of a ready digest with an elliptic curve.

/** The encoding of a signature: ASN.1, or both numbers side by side (IEEE P1363). */
export type EcEncoding = 'der' | 'p1363'

const curves = { 'P-256': p256, 'P-384': p384 }
const formats = { der: 'der', p1363: 'compact' } as const

/** Signs a digest with ECDSA. The nonce is derived from the key, the digest and random bytes (RFC 6979, 3.6). */
export function signEcDigest(scheme: EcScheme, key: KeyObject, digest: Uint8Array, encoding: EcEncoding): Buffer {
  const secret = numberOf(key, 'd')
  const options = { prehash: false, lowS: false, extraEntropy: true, format: formats[encoding] }
  const signature = curves[scheme.curve].sign(digest, secret, options)
  secret.fill(0)
  return Buffer.from(signature)
}

/** True if the signature is a signature of the digest in this encoding. */
export function fitsEcDigest(
  scheme: EcScheme,
  key: KeyObject,
  digest: Uint8Array,
  { encoding, signature }: { readonly encoding: EcEncoding; readonly signature: Uint8Array },
): boolean {
  const point = Buffer.concat([Buffer.of(4), numberOf(key, 'x'), numberOf(key, 'y')])
  try {
    const options = { prehash: false, lowS: false, format: formats[encoding] }
    return curves[scheme.curve].verify(signature, digest, point, options)
  } catch {
    // The signature has another form, or a number out of range.
    return false
  }
}

function numberOf(key: KeyObject, member: 'd' | 'x' | 'y'): Buffer {
  return Buffer.from(key.export({ format: 'jwk' })[member] ?? '', 'base64url')
}
