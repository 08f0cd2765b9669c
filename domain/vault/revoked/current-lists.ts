import type { StoredList } from './lists-store.ts'

/** A signed list with its bytes. */
export interface CurrentList {
  readonly list: StoredList & { readonly this_update_time: string; readonly next_update_time: string }
  readonly der: Buffer<ArrayBuffer>
}

/** An authority, as far as its revocation list depends on it. */
export interface Listing {
  readonly id: string
  readonly not_after_time?: string
}

/** The revocation lists of all authorities, as calls use them. */
export interface CurrentLists {
  /**
   * Returns the list of an authority, which is signed anew first if it is due; undefined if the authority has never been
   * ENABLED. While the vault is sealed, returns the last list as long as it holds. Throws VAULT_SEALED,
   * KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED and STORED_DATA_CORRUPT.
   */
  current(authority: Listing): Promise<CurrentList | undefined>
}
