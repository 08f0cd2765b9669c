import {
  keyVersionDestroyed,
  keyVersionDisabled,
  keyVersionNotFound,
  keyVersionNotReady,
} from '../../../output/vault/errors.ts'
import type { CryptoKey } from '../../../output/vault/types.ts'
import { atField, type ApiError } from '../../../runtime/errors.ts'
import type { Transaction } from '../../ports/store.ts'
import { demote } from './generate-key.ts'
import { isInState, keyVersionCollection, keyVersionRowId, type StoredKeyVersion } from './key-versions-store.ts'

/**
 * Makes a version the primary version of a key, whose row is locked and is written by the caller. Throws
 * KEY_VERSION_NOT_FOUND, KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED or KEY_VERSION_NOT_READY at the field.
 */
export async function changePrimary(tx: Transaction, key: CryptoKey, number: string): Promise<void> {
  const rowId = keyVersionRowId(key.id, number)
  const stored = await tx.lock(keyVersionCollection, rowId)
  if (!stored) throw atField(absentVersion(key.id, number), 'primary_version')
  const fault = unusable(stored.value)
  if (fault) throw atField(fault, 'primary_version')
  await demote(tx, key)
  await tx.update(keyVersionCollection, rowId, { ...stored.value, is_primary: true }, stored.version)
}

/** Makes KEY_VERSION_NOT_FOUND. */
export const absentVersion = (key: string, number: string): ApiError =>
  keyVersionNotFound(`crypto key ${key.slice(0, 80)} has no version ${number.slice(0, 80)}`, {
    resource: { type: 'vault.cryptoKeyVersions', name: keyVersionRowId(key, number) },
  })

/** Returns the error for the use of a version that is not ENABLED; undefined for an ENABLED version. */
export function unusable(version: StoredKeyVersion): ApiError | undefined {
  const { crypto_key_id, id, row_id, state } = version
  if (isInState(version, 'ENABLED')) return undefined
  const named = `version ${id} of crypto key ${crypto_key_id}`
  const details = {
    resource: { type: 'vault.cryptoKeyVersions', name: row_id },
    precondition: [{ type: 'STATE', subject: row_id, description: `the version must be ENABLED, and is ${state}` }],
  }
  if (isInState(version, 'DISABLED'))
    return keyVersionDisabled(`${named} is disabled; enable it, or use another`, details)
  if (isInState(version, 'DESTROYED')) return keyVersionDestroyed(`${named} is destroyed`, details)
  if (isInState(version, 'DESTROY_SCHEDULED'))
    return keyVersionDestroyed(`${named} is going to be destroyed; cancel its destruction to use it`, details)
  if (isInState(version, 'PENDING_GENERATION'))
    return keyVersionNotReady(`the material of ${named} is still generated; retry in some seconds`, details)
  return keyVersionNotReady(`the material of ${named} could not be generated; rotate the key`, details)
}
