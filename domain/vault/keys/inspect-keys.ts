import type { CryptoKey } from '../../../output/vault/types.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Reader, Stored } from '../../ports/store.ts'
import { agenda } from '../work/agenda.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { isInState, keyVersionCollection, materialCollection, type StoredKeyVersion } from './key-versions-store.ts'

import type { PinnedVersions } from './pinned-versions.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

/** Checks crypto keys, their versions, their material and their due work. No key is needed. */
export async function* inspectKeys(reader: Reader, pinned: Pick<PinnedVersions, 'isOwnKey'>): Findings {
  for await (const key of reader.each(cryptoKeyCollection)) yield* inspectKey(reader, key)
  for await (const { id, value } of reader.each(keyVersionCollection))
    if (!(await reader.exists(cryptoKeyCollection, { id: value.crypto_key_id })))
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
  const rotates = !isScheduled && value.next_rotation_time !== undefined
  if ((await reader.exists(agenda, { id: `cryptoKeys.rotate/${id}` })) !== rotates)
    yield finding('has a next rotation without due work, or due work without a next rotation')
  for (const version of versions) yield* inspectVersion(reader, version)
}

async function* inspectVersion(reader: Reader, version: StoredKeyVersion): Findings {
  const { row_id, state } = version
  const finding = (message: string): Finding => ({ resourceType: 'vault.cryptoKeyVersions', id: row_id, message })
  const hasMaterial = await reader.exists(materialCollection, { id: row_id })
  const needsMaterial = isInState(version, 'ENABLED', 'DISABLED', 'DESTROY_SCHEDULED')
  if (hasMaterial !== needsMaterial) yield finding(`is ${state} ${hasMaterial ? 'with' : 'without'} key material`)
  const isScheduled = isInState(version, 'DESTROY_SCHEDULED')
  const hasWork = await reader.exists(agenda, { id: `cryptoKeyVersions.destroy/${row_id}` })
  if (isScheduled && !hasWork) yield finding('is to be destroyed, but has no due work')
  if (isScheduled !== (version.destroy_time !== undefined)) yield finding(`is ${state} with another destroy_time`)
  if (isInState(version, 'DESTROYED') !== (version.destroy_event_time !== undefined))
    yield finding(`is ${state} with another destroy_event_time`)
}
