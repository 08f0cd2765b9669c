import { storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { Reader } from '../../ports/store.ts'
import { absentVersion, unusable } from '../keys/primary-version.ts'
import { schemeOf } from '../keys/key-form.ts'
import { keyVersionCollection } from '../keys/key-versions-store.ts'
import type { MaterialOwner, Materials } from '../keys/materials.ts'
import type { SignScheme } from '../keys/schemes.ts'
import { signatureInPool } from '../keys/signatures.ts'
import type { StoredAuthority } from './authorities-store.ts'

/** The members of an authority that name its key. */
export type KeyHolder = Pick<
  StoredAuthority,
  'id' | 'workspace_id' | 'crypto_key_id' | 'crypto_key_version' | 'key_row_id' | 'key_algorithm'
>

/** Returns the owner of the stored key of an authority. The own key of an authority is stored like a version 1 of it. */
export const keyOwner = (authority: KeyHolder): MaterialOwner => ({
  row_id: authority.key_row_id,
  id: authority.crypto_key_version === '' ? '1' : authority.crypto_key_version,
  crypto_key_id: authority.crypto_key_id === '' ? authority.id : authority.crypto_key_id,
  workspace_id: authority.workspace_id,
  algorithm: authority.key_algorithm ?? 'VAULT_CRYPTO_KEY_ALGORITHM_UNSPECIFIED',
})

/** Returns the scheme with which an authority signs. Throws STORED_DATA_CORRUPT if its algorithm signs nothing. */
export function signSchemeOf({ id, key_algorithm }: Pick<StoredAuthority, 'id' | 'key_algorithm'>): SignScheme {
  const scheme = schemeOf(key_algorithm)
  if (scheme.kind !== 'cipher' && scheme.kind !== 'mac' && scheme.kind !== 'rsa-oaep') return scheme
  throw storedDataCorrupt(`certificate authority ${id} has the algorithm ${key_algorithm}, which signs nothing`, {
    resource: { type: 'vault.certificateAuthorities', name: id },
  })
}

/**
 * Signs bytes with the key of an authority, its own or a version of a crypto key; an ECDSA signature is in DER. Never call
 * this in a transaction. Throws VAULT_SEALED, KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED and STORED_DATA_CORRUPT.
 */
export async function signAs(
  { materials, store }: { readonly materials: Materials; readonly store: Reader },
  authority: KeyHolder,
  bytes: Uint8Array,
): Promise<Buffer> {
  await requireUsableKey(store, authority)
  const scheme = signSchemeOf(authority)
  return materials.use(store, keyOwner(authority), material => {
    if (Buffer.isBuffer(material)) throw new Error(`the key of certificate authority ${authority.id} is symmetric`)
    return signatureInPool(scheme, material, bytes, 'der')
  })
}

/** Throws KEY_VERSION_DISABLED or KEY_VERSION_DESTROYED unless the pinned version of a crypto key is ENABLED. */
export async function requireUsableKey(
  reader: Reader,
  { crypto_key_id, crypto_key_version, key_row_id }: KeyHolder,
): Promise<void> {
  if (crypto_key_id === '') return
  const stored = await reader.get(keyVersionCollection, key_row_id)
  if (!stored) throw absentVersion(crypto_key_id, crypto_key_version)
  const fault = unusable(stored.value)
  if (fault) throw fault
}
