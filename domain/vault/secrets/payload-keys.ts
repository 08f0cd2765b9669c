import type { Secret } from '../../../output/vault/types.ts'
import type { Reader, Transaction } from '../../ports/store.ts'

/** The members of a secret that name its crypto key; an empty id names none. */
export type KeyedSecret = Pick<Secret, 'id' | 'workspace_id' | 'engine' | 'crypto_key_id'>

/** A payload under a crypto key. */
export interface KeyedPayload {
  readonly crypto_key_version: string
  /** The ciphertext in the form of the call `encrypt`: `vault:v<version>:<base64>`. */
  readonly ciphertext: string
}

/** Encrypts the payloads of secrets under crypto keys of their workspace, in addition to the key of the workspace. */
export interface PayloadKeys {
  /**
   * Requires the crypto key of a new secret, shares its row and records the reference (conventions §4, step 12). Does
   * nothing for a secret without a crypto key. Throws CRYPTO_KEY_NOT_FOUND or KEY_PURPOSE_MISMATCH at the field.
   */
  require(tx: Transaction, secret: KeyedSecret): Promise<void>
  /**
   * Encrypts under the primary version of the crypto key, whose row the transaction shares. Throws KEY_VERSION_DISABLED
   * or KEY_VERSION_DESTROYED unless the version is ENABLED.
   */
  encrypt(tx: Transaction, secret: KeyedSecret, plain: Uint8Array, additional: Uint8Array): Promise<KeyedPayload>
  /** Decrypts a payload. Throws KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED or STORED_DATA_CORRUPT. */
  decrypt(reader: Reader, secret: KeyedSecret, payload: KeyedPayload, additional: Uint8Array): Promise<Buffer>
}
