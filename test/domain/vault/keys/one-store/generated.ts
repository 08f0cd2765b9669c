import type { KeyObject } from 'node:crypto'
import { generateMaterial, privateKeyOf, publicKeyOf } from '../../../../../domain/vault/keys/material.ts'
import type { Scheme, SignScheme } from '../../../../../domain/vault/keys/schemes.ts'
import { schemes } from '../../../../../domain/vault/keys/schemes.ts'

/** A generated pair of keys. */
export interface Pair {
  readonly secret: KeyObject
  readonly public: KeyObject
}

/** Generates a pair of a scheme, through the stored form of its keys. */
export async function pairOf(scheme: Scheme): Promise<Pair> {
  const { publicKey, secret } = await generateMaterial(scheme)
  if (publicKey === undefined) throw new TypeError(`a key of ${scheme.kind} has no public key`)
  return {
    secret: privateKeyOf(secret),
    public: publicKeyOf(publicKey.export({ format: 'pem', type: 'spki' }).toString()),
  }
}

/** The algorithms that sign, with their schemes; the prefix of the names is left out. */
export const signing: readonly (readonly [string, SignScheme])[] = Object.entries(schemes).flatMap(([name, scheme]) =>
  scheme.kind === 'cipher' || scheme.kind === 'mac' || scheme.kind === 'rsa-oaep'
    ? []
    : [[name.replace('VAULT_CRYPTO_KEY_ALGORITHM_', ''), scheme] as const],
)
