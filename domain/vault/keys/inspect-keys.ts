import type { CryptoKey } from '../../../output/vault/types.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { workspaceKeys } from '../seal/seal-store.ts'
import { inspectDue } from '../work/inspect-due.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import {
  isInState,
  keyVersionCollection,
  keyVersionRowId,
  materialCollection,
  type StoredKeyVersion,
} from './key-versions-store.ts'
import type { PinnedVersions } from './pinned-versions.ts'
import { isErasingKey } from './remove-key.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks crypto keys, their versions, their material and their due work. No key is needed. */
export async function* inspectKeys(reader: Reader, pinned: Pick<PinnedVersions, 'isOwnKey'>): Findings {
  for await (const key of reader.each(cryptoKeyCollection)) yield* inspectKey(reader, key)
  for await (const { id, value } of reader.each(keyVersionCollection))
    if (
      !(await reader.exists(cryptoKeyCollection, { id: value.crypto_key_id })) &&
      !(await isErasingKey(reader, value.crypto_key_id))
    )
      yield orphan('vault.cryptoKeyVersions', id)
  for await (const { id } of reader.each(materialCollection)) {
    if (await reader.exists(keyVersionCollection, { row_id: id })) continue
    // The own key of a certificate authority is stored like the material of a version.
    if (!(await pinned.isOwnKey(reader, id))) yield orphan('vault.cryptoKeyMaterials', id)
  }
}

const orphan = (resourceType: string, id: string): Finding => ({
  resourceType,
  id,
  message: 'belongs to a crypto key or version that does not exist; restore it from a backup',
})

async function* inspectKey(reader: Reader, { id, value }: Stored<CryptoKey>): Findings {
  const finding = (message: string): Finding => ({ resourceType: 'vault.cryptoKeys', id, message })
  const versions: StoredKeyVersion[] = []
  for await (const version of reader.each(keyVersionCollection, { crypto_key_id: id })) versions.push(version.value)
  if (versions.length !== value.version_count)
    yield finding(`has version_count ${value.version_count}, and ${versions.length} versions exist`)
  const primaries = versions.filter(({ is_primary }) => is_primary).map(version => version.id)
  if (primaries.length !== 1 || primaries[0] !== value.primary_version)
    yield finding(
      `has primary_version ${value.primary_version}, but the primary versions are [${primaries.join(', ')}]`,
    )
  const isScheduled = value.state === 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED'
  if (isScheduled !== (value.delete_time !== undefined)) yield finding(`is ${value.state} with another delete_time`)
  if (isScheduled && versions.some(version => !isInState(version, 'DESTROY_SCHEDULED', 'DESTROYED')))
    yield finding(`is ${value.state} with versions that are not going to be destroyed`)
  yield* inspectDue(reader, 'cryptoKeys.rotate', id, isScheduled ? undefined : value.next_rotation_time, finding)
  for (const version of versions) yield* inspectVersion(reader, value, version)
}

async function* inspectVersion(reader: Reader, key: CryptoKey, version: StoredKeyVersion): Findings {
  const { destroy_time, id, operation_id, row_id, state, workspace_id } = version
  const finding = (message: string): Finding => ({ resourceType: 'vault.cryptoKeyVersions', id: row_id, message })
  if (row_id !== keyVersionRowId(key.id, id)) yield finding(`has the number ${id} of crypto key ${key.id}`)
  if (workspace_id !== key.workspace_id) yield finding(`is in another workspace than crypto key ${key.id}`)
  yield* inspectMaterial(reader, version, finding)
  const isScheduled = isInState(version, 'DESTROY_SCHEDULED')
  if (isScheduled !== (destroy_time !== undefined)) yield finding(`is ${state} with another destroy_time`)
  // The last version of a key without material is due work too, which removes the key.
  if (isScheduled) yield* inspectDue(reader, 'cryptoKeyVersions.destroy', row_id, destroy_time, finding)
  if (isInState(version, 'DESTROYED') !== (version.destroy_event_time !== undefined))
    yield finding(`is ${state} with another destroy_event_time`)
  if (isInState(version, 'PENDING_GENERATION') !== (operation_id !== ''))
    yield finding(`is ${state} with the operation "${operation_id}"`)
}

/** Checks that a version has material of its own in the states that need it, and that the material can be opened. */
async function* inspectMaterial(
  reader: Reader,
  { crypto_key_id, row_id: id, state, workspace_id }: StoredKeyVersion,
  finding: (message: string) => Finding,
): Findings {
  const material = (await reader.get(materialCollection, id))?.value
  const needsMaterial = isInState({ state }, 'ENABLED', 'DISABLED', 'DESTROY_SCHEDULED')
  if ((material !== undefined) !== needsMaterial)
    yield finding(`is ${state} ${material ? 'with' : 'without'} key material`)
  if (material && (material.crypto_key_id !== crypto_key_id || material.workspace_id !== workspace_id))
    yield finding('has the key material of another crypto key or workspace')
  if (material && !(await reader.exists(workspaceKeys, { id: workspace_id })))
    yield finding(`has key material, and workspace ${workspace_id} has no key; restore it from a backup`)
}
