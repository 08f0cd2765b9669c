import {
  createPrivateKey,
  createPublicKey,
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
  /** The public key of a pair; absent for symmetric keys. */
  readonly publicKey?: KeyObject | undefined
}

/** True if the generation of a key takes too long for a request: RSA takes about a second (vault.md 4.2). */
export const isSlow = ({ kind }: Scheme): boolean => kind.startsWith('rsa')

/** Generates a key. The generation of a pair runs in the thread pool of Node.js. */
export async function generateMaterial(scheme: Scheme): Promise<Material> {
  if (scheme.kind === 'cipher' || scheme.kind === 'mac') return symmetricMaterial(scheme)
  const { privateKey, publicKey } = await generated(scheme)
  return {
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicKey,
  }
}

/** Generates the key of a cipher or of a message authentication code. Throws for the scheme of a pair. */
export function symmetricMaterial(scheme: Scheme): Material {
  if (scheme.kind === 'cipher') return { secret: randomBytes(32) }
  if (scheme.kind === 'mac') return { secret: randomBytes(scheme.bytes) }
  throw new Error(`a key of ${scheme.kind} is not symmetric`)
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

/** Returns the private key of the stored bytes of `Material.secret`. Throws if the bytes are no private key. */
export function privateKeyOf(secret: Buffer): KeyObject {
  return createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' })
}

/** Returns the public key of a SubjectPublicKeyInfo in PEM. */
export const publicKeyOf = (pem: string): KeyObject => createPublicKey(pem)
