import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'

const algorithm = 'aes-256-gcm'

/** The size of a key, in bytes. */
export const keySize = 32

const nonceSize = 12
const tagSize = 16

/** Encrypts bytes by AES-256-GCM with a random nonce. Returns nonce, ciphertext and tag. */
export function encryptBytes(key: Uint8Array, additional: Uint8Array, plain: Uint8Array): Buffer {
  const nonce = randomFillSync(Buffer.alloc(nonceSize))
  const cipher = createCipheriv(algorithm, createSecretKey(key), nonce, { authTagLength: tagSize })
  cipher.setAAD(additional)
  const body = cipher.update(plain)
  return Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()])
}

/**
 * Returns the bytes that `encryptBytes` has encrypted; undefined for another key, other additional data, and altered or
 * truncated bytes.
 */
export function decryptBytes(key: Uint8Array, additional: Uint8Array, encrypted: Uint8Array): Buffer | undefined {
  if (encrypted.length < nonceSize + tagSize) return undefined
  const bodyEnd = encrypted.length - tagSize
  const decipher = createDecipheriv(algorithm, createSecretKey(key), encrypted.subarray(0, nonceSize), {
    authTagLength: tagSize,
  })
  decipher.setAAD(additional)
  decipher.setAuthTag(encrypted.subarray(bodyEnd))
  const plain = decipher.update(encrypted.subarray(nonceSize, bodyEnd))
  try {
    decipher.final()
    return plain
  } catch {
    // The bytes are not authentic, so nothing of them may be used.
    plain.fill(0)
    return undefined
  }
}
