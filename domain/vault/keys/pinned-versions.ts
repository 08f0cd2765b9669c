import type { Reader } from '../../ports/store.ts'
import type { StoredKeyVersion } from './key-versions-store.ts'

/** The versions of crypto keys that are the keys of certificate authorities. */
export interface PinnedVersions {
  /**
   * Throws CRYPTO_KEY_IN_USE for a version that is the key of an authority: a caller who may sign with the key could sign
   * certificates otherwise.
   */
  requireFree(reader: Reader, version: StoredKeyVersion): Promise<void>
  /** Throws CRYPTO_KEY_IN_USE for a version that is the key of an authority that is neither REVOKED nor EXPIRED. */
  requireDestroyable(reader: Reader, version: StoredKeyVersion, now: number): Promise<void>
  /** Whether the material with this row id is the own key of an authority. */
  isOwnKey(reader: Reader, id: string): Promise<boolean>
}
