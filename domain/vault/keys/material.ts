import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  randomBytes,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'
import type { Scheme } from './schemes.ts'

/**
 * The material of one version of a key: the bytes of a symmetric key, or a private key as PKCS#8 in DER. The caller
 * fills `secret` with zeros when the bytes are stored or no longer needed.
 */
export interface Material {
  readonly secret: Buffer
  /** The public key as SubjectPublicKeyInfo in DER; absent for symmetric keys. */
  readonly publicKey?: Buffer | undefined
}

/** True if the generation of a key takes too long for a request: RSA takes about a second (vault.md 4.2). */
export const isSlow = ({ kind }: Scheme): boolean => kind.startsWith('rsa')

/** Generates a key. The generation of a pair runs in the thread pool of Node.js. */
export async function generateMaterial(scheme: Scheme): Promise<Material> {
  if (scheme.kind === 'cipher') return { secret: randomBytes(32) }
  if (scheme.kind === 'mac') return { secret: randomBytes(scheme.bytes) }
  const { privateKey, publicKey } = await generated(scheme)
  return {
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }),
  }
}

function generated(scheme: Exclude<Scheme, { kind: 'cipher' | 'mac' }>): Promise<KeyPairKeyObjectResult> {
  return new Promise((resolve, reject) => {
    const end = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject): void =>
      error === null ? resolve({ privateKey, publicKey }) : reject(error)
    if (scheme.kind === 'ed25519') generateKeyPair('ed25519', undefined, end)
    else if (scheme.kind === 'ec') generateKeyPair('ec', { namedCurve: scheme.curve }, end)
    else generateKeyPair('rsa', { modulusLength: scheme.bits, publicExponent: 65_537 }, end)
  })
}

/** Returns the key of the stored bytes of `Material.secret`. Throws if the bytes are no key of the scheme. */
export function secretKeyOf({ kind }: Scheme, secret: Buffer): KeyObject {
  if (kind === 'cipher' || kind === 'mac') return createSecretKey(secret)
  return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
}

/** Returns the key of the stored bytes of `Material.publicKey`. */
export function publicKeyOf(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: publicKey, format: 'der', type: 'spki' })
}
