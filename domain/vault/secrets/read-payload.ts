import { secretVersionDisabled, storedDataCorrupt } from '../../../output/vault/errors.ts'
import type { Secret } from '../../../output/vault/types.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import type { VaultEnvironment } from '../environment.ts'
import { findVersion } from './find-version.ts'
import { payloadPlace } from './payload-place.ts'
import { payloadCollection, type StoredPayload, type StoredSecretVersion } from './secret-versions-store.ts'
import { requireUndestroyed } from './version-states.ts'

/** A version with its payload. */
export interface ReadPayload {
  readonly version: Stored<StoredSecretVersion>
  /** The payload, which the caller overwrites after use. */
  readonly bytes: Buffer
}

/**
 * Returns a version of a secret with its payload. Throws SECRET_VERSION_NOT_FOUND, WORKSPACE_NOT_ACTIVE,
 * SECRET_VERSION_DISABLED, SECRET_VERSION_DESTROYED, KEY_VERSION_DISABLED, KEY_VERSION_DESTROYED, VAULT_SEALED and
 * STORED_DATA_CORRUPT, in the order of conventions §4.
 */
export async function readPayload(environment: VaultEnvironment, secret: Secret, name: string): Promise<ReadPayload> {
  const { store, taxonomy } = environment
  const version = await findVersion(store, secret, name)
  await taxonomy.checkActive(store, secret.workspace_id)
  requireUndestroyed(version)
  requireEnabled(version)
  const payload = await store.get(payloadCollection, version.id)
  if (payload) return { version, bytes: await decrypted(environment, store, secret, version.value, payload.value) }
  // The version may have been destroyed since it was read.
  requireUndestroyed(await findVersion(store, secret, version.value.id))
  const lost = storedDataCorrupt(`the payload of version ${version.id} is lost; restore it from a backup`, {
    resource: { type: 'vault.secretVersions', name: version.id },
  })
  throw environment.keyring.corrupt(secret.workspace_id, lost)
}

function requireEnabled({ value: { row_id, state } }: Stored<StoredSecretVersion>): void {
  const wanted = 'VAULT_SECRET_VERSION_STATE_ENABLED'
  if (state === wanted) return
  throw secretVersionDisabled(`version ${row_id} is disabled; enable it, or name another version`, {
    resource: { type: 'vault.secretVersions', name: row_id },
    precondition: [{ type: 'STATE', subject: row_id, description: `the state must be ${wanted}` }],
  })
}

async function decrypted(
  { keyring, payloadKeys }: VaultEnvironment,
  reader: Reader,
  secret: Secret,
  version: StoredSecretVersion,
  { crypto_key_id, crypto_key_version, id, wrapped }: StoredPayload,
): Promise<Buffer> {
  const bytes = await keyring.unwrap(reader, payloadPlace(secret, version.id), wrapped)
  if (crypto_key_id === '') return bytes
  const keyed = { crypto_key_version, ciphertext: bytes.toString('latin1') }
  return payloadKeys.decrypt(reader, { ...secret, crypto_key_id }, keyed, Buffer.from(id))
}
