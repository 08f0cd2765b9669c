import type { CallContext } from '../../runtime/context.ts'
import type { Transaction } from './store.ts'

/** The payload of a version of a secret. */
export interface SecretValue {
  readonly secret_id: string
  /** The number of the version in decimal digits. */
  readonly version: string
  /** The bytes, which the caller overwrites after use. */
  readonly bytes: Uint8Array
}

/** The functions of vault for other areas (conventions §14). */
export interface Vault {
  /** Whether the vault of this server is sealed; callers then answer ENGINE_UNAVAILABLE (conventions §14). */
  readonly isSealed: boolean
  /**
   * Reads a payload in a workspace and engine for use by the platform itself. `version` is a number, an alias or
   * `latest`. The caller has checked that the principal may access the secret (conventions §12). Never call
   * `readSecret` in a transaction. `context` is the call that needs the payload, for the audit; undefined for work of
   * the platform itself. Throws VAULT_SEALED, WORKSPACE_NOT_ACTIVE, SECRET_NOT_FOUND, SECRET_VERSION_NOT_FOUND,
   * SECRET_VERSION_DISABLED, SECRET_VERSION_DESTROYED and STORED_DATA_CORRUPT.
   */
  readSecret(context: CallContext | undefined, secret: SecretName): Promise<SecretValue>
  /**
   * Records that a row uses a secret of a workspace and engine, so that the secret cannot be deleted (SECRET_IN_USE) until
   * the holder drops its references. Returns false if the secret does not exist or has expired. The caller has checked
   * that the principal may access the secret (conventions §12).
   */
  useSecret(
    tx: Transaction,
    secret: Omit<SecretName, 'version'>,
    holder: { readonly type: string; readonly id: string },
  ): Promise<boolean>
  /**
   * Encrypts bytes of the platform itself under the safe keys, for one purpose such as `registry.tokenKey`. Returns
   * printable ASCII. Throws VAULT_SEALED.
   */
  wrap(purpose: string, bytes: Uint8Array): string
  /**
   * Returns the bytes that `wrap` has encrypted for the same purpose; the caller overwrites them after use. Throws
   * VAULT_SEALED, and STORED_DATA_CORRUPT for altered text and for another purpose.
   */
  unwrap(purpose: string, wrapped: string): Promise<Uint8Array>
}

/** The place of a payload. */
export interface SecretName {
  readonly workspace: string
  readonly engine: string
  readonly secret_id: string
  /** A number, an alias, or `latest`. */
  readonly version: string
}
