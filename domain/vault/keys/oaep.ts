import { constants, privateDecrypt, type KeyObject } from 'node:crypto'

/**
 * Decrypts RSA-OAEP with SHA-256 and without a label; undefined for every ciphertext that the key does not open. The
 * caller fills the plaintext with zeros after its use.
 */
export function decryptOaep(key: KeyObject, ciphertext: Uint8Array): Buffer | undefined {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, ciphertext)
  } catch {
    return undefined
  }
}
