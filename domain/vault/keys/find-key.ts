import { keyPurposeMismatch } from '../../../output/vault/errors.ts'
import type { CryptoKey, CryptoKeyPurposeInput } from '../../../output/vault/types.ts'
import { atField } from '../../../runtime/errors.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { requireFound } from '../../resources/find-rows.ts'
import type { VaultEnvironment } from '../environment.ts'
import { cryptoKeyKind } from './crypto-key-kind.ts'
import { keyVersionCollection, keyVersionRowId, type StoredKeyVersion } from './key-versions-store.ts'
import { requireNotScheduled } from './key-versions.ts'
import { absentVersion, unusable } from './primary-version.ts'

/** The path of a crypto key. */
export interface KeyPath {
  readonly workspace: string
  readonly engine: string
  readonly id: string
}

/** The purposes of keys without the prefix of the enum. */
export type ShortPurpose = CryptoKeyPurposeInput extends `VAULT_CRYPTO_KEY_PURPOSE_${infer Short}` ? Short : never

/**
 * Returns the key that a path names, for a use of its material, with the checks of conventions §4 in their order. Throws
 * CRYPTO_KEY_NOT_FOUND, WORKSPACE_NOT_ACTIVE, CRYPTO_KEY_DELETE_SCHEDULED or KEY_PURPOSE_MISMATCH.
 */
export async function usableKey(
  { knownKeys, store, taxonomy }: VaultEnvironment,
  path: KeyPath,
  ...purposes: readonly ShortPurpose[]
): Promise<CryptoKey> {
  const stored = await knownKeys.key(store, path.id)
  const { value: key } = await requireFound(store, taxonomy, cryptoKeyKind, path, stored)
  await taxonomy.checkActive(store, path.workspace)
  requireNotScheduled(key)
  requirePurpose(key, ...purposes)
  return key
}

/** Throws KEY_PURPOSE_MISMATCH unless the key has one of the purposes. */
export function requirePurpose({ id, purpose }: CryptoKey, ...purposes: readonly ShortPurpose[]): void {
  if (purposes.some(short => purpose === `VAULT_CRYPTO_KEY_PURPOSE_${short}`)) return
  throw keyPurposeMismatch(`crypto key ${id} is a key for ${purpose}; the call needs ${purposes.join(' or ')}`, {
    resource: { type: cryptoKeyKind.type, name: id },
    precondition: [{ type: 'PURPOSE', subject: id, description: `the purpose must be ${purposes.join(' or ')}` }],
  })
}

/**
 * Returns the version of a key that a call uses: the version that `key_version` names, or the primary version. Throws
 * KEY_VERSION_NOT_FOUND at the field, KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED or KEY_VERSION_NOT_READY.
 */
export async function usableVersion(reader: Reader, key: CryptoKey, key_version: string): Promise<StoredKeyVersion> {
  const number = numberOf(key, key_version)
  return requireUsable(await reader.get(keyVersionCollection, keyVersionRowId(key.id, number)), key, number)
}

/** Returns the version that a call uses as `usableVersion` does, from the cache if possible. */
export async function knownVersion(
  { knownKeys, store }: Pick<VaultEnvironment, 'knownKeys' | 'store'>,
  key: CryptoKey,
  key_version: string,
): Promise<StoredKeyVersion> {
  const number = numberOf(key, key_version)
  return requireUsable(await knownKeys.version(store, key.id, number), key, number)
}

const numberOf = ({ primary_version = '' }: CryptoKey, key_version: string): string =>
  key_version === '' ? primary_version : key_version

function requireUsable(
  stored: Stored<StoredKeyVersion> | undefined,
  { id }: CryptoKey,
  number: string,
): StoredKeyVersion {
  if (!stored) throw atField(absentVersion(id, number), 'key_version')
  const fault = unusable(stored.value)
  if (fault) throw fault
  return stored.value
}
