import { createHmac, createSecretKey, randomFillSync } from 'node:crypto'
import { nonceBytes, seal, tagBytes, unseal } from './ciphers.ts'
import type { CipherScheme } from './schemes.ts'

/** The version of a key that encrypts: `key` is the id of the crypto key, 16 bytes. */
export interface MessageKey {
  readonly scheme: CipherScheme
  readonly key: Uint8Array
  readonly version: number
  readonly material: Buffer
}

/** A ciphertext whose text has the right form. */
export interface Message {
  readonly version: number
  readonly salt: Buffer
  readonly nonce: Buffer
  readonly content: Buffer
  readonly tag: Buffer
}

const format = 1
const saltBytes = 16
const contentAt = 1 + saltBytes + nonceBytes
const overhead = contentAt + tagBytes

/** `vault:v<version>:` and padded base64; a version has no leading zero, and at most 9 digits. */
const shape = /^vault:v([1-9]\d{0,8}):([A-Za-z\d+/]*={0,2})$/

/**
 * Encrypts with a key of its own for each message, which is derived from the material and a random salt, so that the
 * number of messages of a key has no limit (vault.md 4.2). Returns the text `vault:v<version>:<base64>`.
 */
export function encryptMessage(of: MessageKey, plaintext: Uint8Array, data: Uint8Array): string {
  const bytes = Buffer.allocUnsafe(overhead + plaintext.length)
  bytes[0] = format
  randomFillSync(bytes, 1, saltBytes + nonceBytes)
  const { nonce, salt } = headOf(bytes)
  const key = messageKey(of.material, salt)
  const { content, tag } = seal({ cipher: of.scheme.cipher, key, nonce, data: boundData(of, data) }, plaintext)
  key.fill(0)
  bytes.set(content, contentAt)
  bytes.set(tag, contentAt + content.length)
  return `vault:v${of.version}:${bytes.toString('base64')}`
}

/** Reads the text of a ciphertext; undefined if the text has another form. Base64 is read strictly. */
export function readMessage(ciphertext: string): Message | undefined {
  const [, version, base64 = ''] = shape.exec(ciphertext) ?? []
  if (version === undefined) return undefined
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length < overhead || bytes[0] !== format || bytes.toString('base64') !== base64) return undefined
  return {
    version: Number(version),
    ...headOf(bytes),
    content: bytes.subarray(contentAt, -tagBytes),
    tag: bytes.subarray(-tagBytes),
  }
}

/**
 * Decrypts a message; undefined if the key, the additional data or any byte of the message differs. The caller fills
 * the plaintext with zeros after its use.
 */
export function decryptMessage(of: MessageKey, message: Message, data: Uint8Array): Buffer | undefined {
  const key = messageKey(of.material, message.salt)
  const { nonce } = message
  const plaintext = unseal({ cipher: of.scheme.cipher, key, nonce, data: boundData(of, data) }, message)
  key.fill(0)
  return plaintext
}

/** Returns the salt and the nonce in the bytes of a message. */
const headOf = (bytes: Buffer): Pick<Message, 'nonce' | 'salt'> => ({
  salt: bytes.subarray(1, 1 + saltBytes),
  nonce: bytes.subarray(1 + saltBytes, contentAt),
})

const derivation = Buffer.concat([uint32(1), Buffer.from('nf-vault-msg-v1\0')])
const derivedBits = uint32(256)

/** Derives the key of a message: SP 800-108 in counter mode with HMAC-SHA-256, one block. */
function messageKey(material: Buffer, salt: Buffer): Buffer {
  return createHmac('sha256', createSecretKey(material)).update(derivation).update(salt).update(derivedBits).digest()
}

const boundPrefix = Buffer.from('nf-vault-enc-v1\0')

/** Returns the authenticated data of a message: the key and version, and the additional data of the caller. */
function boundData({ key, version }: MessageKey, data: Uint8Array): Buffer {
  const fixed = boundPrefix.length + key.length
  const bytes = Buffer.allocUnsafe(fixed + 12 + data.length)
  bytes.set(boundPrefix)
  bytes.set(key, boundPrefix.length)
  bytes.writeUInt32BE(version, fixed)
  // The length has 8 bytes, of which the upper 4 are zero: additional data are far shorter than 4 GiB.
  bytes.writeUInt32BE(0, fixed + 4)
  bytes.writeUInt32BE(data.length, fixed + 8)
  bytes.set(data, fixed + 12)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
