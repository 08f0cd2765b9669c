import { createHmac, randomFillSync } from 'node:crypto'
import { storedDataCorrupt } from '../../../output/vault/errors.ts'
import { decryptBytes, encryptBytes } from './aead.ts'
import { joinedParts, type ItemPlace } from './item-place.ts'

/** The first byte of an encrypted item, which names the form of the rest. */
const itemForm = 1

const saltSize = 16
const headSize = 1 + saltSize

/**
 * The key of a workspace, which encrypts the items of the workspace (vault.md 4.1). Each item has a key of its own:
 * HMAC-SHA256 of its type, id, version and a random salt.
 */
export class WorkspaceKey {
  readonly #installation: string
  readonly #key: Buffer

  /** Takes over `key`, which has 32 bytes and is overwritten by `wipe`. */
  constructor(installation: string, key: Buffer) {
    this.#installation = installation
    this.#key = key
  }

  /** Encrypts an item. Returns base64 of the form byte, the salt, the nonce, the ciphertext and the tag. */
  wrap(place: ItemPlace, plain: Uint8Array): string {
    const head = Buffer.alloc(headSize)
    head[0] = itemForm
    randomFillSync(head, 1)
    const key = this.#itemKey(place, head.subarray(1))
    const body = encryptBytes(key, this.#additional(place), plain)
    key.fill(0)
    return Buffer.concat([head, body]).toString('base64')
  }

  /**
   * Returns the plaintext of an item, which the caller overwrites after use. Throws STORED_DATA_CORRUPT if the item was
   * altered, or was encrypted for another place.
   */
  unwrap(place: ItemPlace, wrapped: string): Buffer {
    const bytes = Buffer.from(wrapped, 'base64')
    const plain = bytes.length > headSize && bytes[0] === itemForm ? this.#decrypt(place, bytes) : undefined
    if (plain !== undefined) return plain
    const { id, type, version } = place
    const name = version === '' ? id : `${id}/versions/${version}`
    throw storedDataCorrupt(`the stored data of ${type} ${name} is not authentic; restore it from a backup`, {
      resource: { type, name },
    })
  }

  /** Returns a key of 32 bytes for another use than items, such as the payloads of capsules; equal for equal labels. */
  derive(label: string): Buffer {
    return createHmac('sha256', this.#key).update('nf-vault-use-v1\0').update(label).digest()
  }

  /** Overwrites the key; the object cannot be used any more. */
  wipe(): void {
    this.#key.fill(0)
  }

  #decrypt(place: ItemPlace, bytes: Buffer): Buffer | undefined {
    const key = this.#itemKey(place, bytes.subarray(1, headSize))
    const plain = decryptBytes(key, this.#additional(place), bytes.subarray(headSize))
    key.fill(0)
    return plain
  }

  #itemKey({ id, type, version }: ItemPlace, salt: Uint8Array): Buffer {
    return createHmac('sha256', this.#key)
      .update(`nf-vault-item-v1\0${type}\0${id}\0${version}\0`)
      .update(salt)
      .digest()
  }

  #additional({ id, type, version, workspace }: ItemPlace): Buffer {
    return joinedParts(this.#installation, workspace, type, id, version)
  }
}
