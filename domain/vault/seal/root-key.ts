import { createHmac, timingSafeEqual } from 'node:crypto'
import { decryptBytes, encryptBytes } from './aead.ts'
import { joinedParts } from './item-place.ts'
import type { StoredSafeKey } from './seal-store.ts'

/** A root key from the settings of the server; the store never has it. */
export interface RootKey {
  /** The name of the key. */
  readonly id: string
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

/** Returns the HMAC-SHA256 of the name of a root key under the key, in hex. */
export const checkOf = (bytes: Uint8Array, id: string): string =>
  createHmac('sha256', bytes).update(`nf-vault-check-v1\0${id}`).digest('hex')

/** Returns whether a safe key is encrypted under a root key, whatever name the root key has now. */
export function isRootOf(
  { bytes }: RootKey,
  { root_key_check, root_key_id }: Pick<StoredSafeKey, 'root_key_check' | 'root_key_id'>,
): boolean {
  const check = Buffer.from(checkOf(bytes, root_key_id))
  const stored = Buffer.from(root_key_check)
  return check.length === stored.length && timingSafeEqual(check, stored)
}

/** Returns the row of a safe key under a root key. */
export function wrapSafeKey(
  root: RootKey,
  installation: string,
  key: Uint8Array,
  row: Pick<StoredSafeKey, 'id' | 'create_time'>,
): StoredSafeKey {
  return {
    ...row,
    root_key_id: root.id,
    root_key_check: checkOf(root.bytes, root.id),
    wrapped: encryptBytes(root.bytes, additionalOf(installation, row.id), key).toString('base64'),
  }
}

/** Returns a safe key; undefined if the row was altered or belongs to another root key or installation. */
export const unwrapSafeKey = (
  { bytes }: RootKey,
  installation: string,
  { id, wrapped }: StoredSafeKey,
): Buffer | undefined => decryptBytes(bytes, additionalOf(installation, id), Buffer.from(wrapped, 'base64'))

const additionalOf = (installation: string, number: string): Buffer =>
  joinedParts(installation, 'nf-vault-safe-key-v1', number)
