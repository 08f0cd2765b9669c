import { decryptBytes, encryptBytes } from './aead.ts'
import { joinedParts } from './item-place.ts'
import { checkOf, isRootOf, type RootKey } from './root-key.ts'

/** The key of a snapshot, encrypted under a root key; the members stand in the header of the snapshot. */
export interface WrappedSnapshotKey {
  readonly installation_id: string
  readonly snapshot_id: string
  /** The name of the root key in the settings of the server that took the snapshot. */
  readonly root_key_id: string
  /** The HMAC-SHA256 of `root_key_id` under the root key, in hex: a wrong root key is recognised by this value. */
  readonly root_key_check: string
  /** The encrypted key, in base64. */
  readonly wrapped_key: string
}

/** Encrypts the key of a snapshot of an installation under a root key. */
export const wrapSnapshotKey = (
  root: RootKey,
  installation_id: string,
  snapshot_id: string,
  key: Uint8Array,
): WrappedSnapshotKey => ({
  installation_id,
  snapshot_id,
  root_key_id: root.id,
  root_key_check: checkOf(root.bytes, root.id),
  wrapped_key: encryptBytes(root.bytes, additionalOf(installation_id, snapshot_id), key).toString('base64'),
})

/** Whether a snapshot was taken under a root key, whatever name the root key has now. */
export const isSnapshotOf = (root: RootKey, wrapped: WrappedSnapshotKey): boolean => isRootOf(root, wrapped)

/** Returns the key of a snapshot; undefined for another root key and for altered members. */
export const unwrapSnapshotKey = (
  { bytes }: RootKey,
  { installation_id, snapshot_id, wrapped_key }: WrappedSnapshotKey,
): Buffer | undefined =>
  decryptBytes(bytes, additionalOf(installation_id, snapshot_id), Buffer.from(wrapped_key, 'base64'))

const additionalOf = (installation: string, snapshot: string): Buffer =>
  joinedParts(installation, 'nf-vault-snapshot-key-v1', snapshot)
