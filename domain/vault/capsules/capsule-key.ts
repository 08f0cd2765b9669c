import { argon2, createHmac, randomBytes } from 'node:crypto'
import { decryptBytes, encryptBytes } from '../seal/aead.ts'
import { joinedParts } from '../seal/item-place.ts'

/** The cost of a passphrase: memory in KiB, passes and lanes of argon2id, and the lengths of salt and key in bytes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const keyBytes = 32

/** The label of the key of a workspace from which the keys of its capsules are derived. */
export const capsuleLabel = 'vault.capsules'

/** Returns a new salt in base64. */
export const newSalt = (): string => randomBytes(saltBytes).toString('base64')

/**
 * Derives the key of a passphrase on a thread of the pool; no bytes for a capsule without a passphrase, whose salt is
 * empty. Passphrases are compared in the form NFKC, so that different encodings of one passphrase are equal.
 */
export function passphraseKey(passphrase: string, salt: string): Promise<Buffer> {
  if (salt === '') return Promise.resolve(Buffer.alloc(0))
  const message = passphrase.normalize('NFKC')
  const parameters = { ...cost, message, nonce: Buffer.from(salt, 'base64'), tagLength: keyBytes }
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** The parts that open a payload: only all of them together do. */
export interface CapsuleKey {
  readonly id: string
  readonly token: string
  /** The result of `passphraseKey`. */
  readonly passphrase: Buffer
  /** The key of the workspace for capsules. */
  readonly workspaceKey: Buffer
}

/** Encrypts the payload of a capsule; returns base64. */
export function sealPayload(key: CapsuleKey, payload: Uint8Array): string {
  const payloadKey = payloadKeyOf(key)
  const sealed = encryptBytes(payloadKey, joinedParts(capsuleLabel, key.id), payload)
  payloadKey.fill(0)
  return sealed.toString('base64')
}

/** Returns the payload of a capsule; undefined if the token, the passphrase or the key of the workspace differs. */
export function openPayload(key: CapsuleKey, sealed: string): Buffer | undefined {
  const payloadKey = payloadKeyOf(key)
  const payload = decryptBytes(payloadKey, joinedParts(capsuleLabel, key.id), Buffer.from(sealed, 'base64'))
  payloadKey.fill(0)
  return payload
}

function payloadKeyOf({ id, passphrase, token, workspaceKey }: CapsuleKey): Buffer {
  return createHmac('sha256', workspaceKey).update(joinedParts(id, token)).update(passphrase).digest()
}
