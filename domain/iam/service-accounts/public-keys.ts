import { createPublicKey, type KeyObject } from 'node:crypto'
import type { KeyAlgorithm } from '../../../output/iam/types.ts'

/** A stored public key: its algorithm, and its SubjectPublicKeyInfo as PEM. */
export interface PublicKey {
  readonly algorithm: KeyAlgorithm
  readonly pem: string
}

/**
 * The pattern of a file that contains exactly one public key. A file with a private key is refused, although the public
 * key could be derived from the private key.
 */
const shape = /^\s*-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z\d+/=\r\n]+-----END PUBLIC KEY-----\s*$/

const maxLength = 10_000
const minRsaBits = 2048
const minRsaExponent = 65_537n

/**
 * Parses a public key: Ed25519, P-256, or RSA of 2048 bits or more with an odd exponent from 65537. Throws `TypeError`
 * for any other text.
 */
export function readPublicKey(text: string): PublicKey {
  if (text.length > maxLength || !shape.test(text))
    throw new TypeError('must be one public key as PEM (BEGIN PUBLIC KEY)')
  const key = parsed(text)
  const algorithm = algorithmOf(key)
  if (algorithm === undefined)
    throw new TypeError('must be a key for Ed25519, P-256, or RSA of 2048 bits or more with an exponent from 65537')
  return { algorithm, pem: key.export({ type: 'spki', format: 'pem' }).toString() }
}

function parsed(text: string): KeyObject {
  try {
    return createPublicKey({ key: text, format: 'pem' })
  } catch {
    throw new TypeError('must be a public key that can be read; the PEM is damaged')
  }
}

function algorithmOf({
  asymmetricKeyDetails: details = {},
  asymmetricKeyType: type,
}: KeyObject): KeyAlgorithm | undefined {
  if (type === 'ed25519') return 'EDDSA'
  if (type === 'ec') return details.namedCurve === 'prime256v1' ? 'ES256' : undefined
  const { modulusLength = 0, publicExponent = 0n } = details
  // Small exponents permit forgeries where a verifier is lax about padding (NIST SP 800-56B §6.4 requires 65,537).
  const isSafe = modulusLength >= minRsaBits && publicExponent >= minRsaExponent && publicExponent % 2n === 1n
  return type === 'rsa' && isSafe ? 'RS256' : undefined
}
