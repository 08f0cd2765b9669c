import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { capsuleCollection, capsulePayloads, capsuleState } from '../capsules/capsules-store.ts'
import { keptMs } from '../capsules/capsule-end.ts'
import { cryptoKeyCollection } from '../keys/crypto-keys-store.ts'
import {
  keyVersionCollection,
  materialCollection,
  versionState,
  type StoredKeyVersion,
} from '../keys/key-versions-store.ts'
import {
  payloadCollection,
  secretVersionCollection,
  type StoredSecretVersion,
} from '../secrets/secret-versions-store.ts'
import { secretCollection } from '../secrets/secrets-store.ts'
import { agenda, setAgenda } from '../work/agenda.ts'

/**
 * Makes the restored rows agree with the tombstones of the replaced vault: erases the payloads and the material that the
 * snapshot has of destroyed versions, and deletes tombstones whose resource the snapshot does not have.
 */
export async function settleTombstones(tx: Transaction): Promise<void> {
  const destroyed = 'VAULT_SECRET_VERSION_STATE_DESTROYED'
  for await (const version of tx.each(secretVersionCollection, { state: destroyed })) await settleVersion(tx, version)
  const gone = versionState('DESTROYED')
  for await (const version of tx.each(keyVersionCollection, { state: gone })) await settleKeyVersion(tx, version)
  for await (const { id, value } of tx.each(capsuleCollection)) {
    if (value.state === capsuleState('ACTIVE')) continue
    const payload = await tx.get(capsulePayloads, id)
    if (payload) await tx.delete(capsulePayloads, id, payload.version)
    await setAgenda(tx, 'capsules.expire', value, undefined)
    const isPlanned = await tx.exists(agenda, { id: `capsules.remove/${id}` })
    const time = Date.parse(value.update_time) + keptMs
    if (!isPlanned) await setAgenda(tx, 'capsules.remove', value, formatMillis(time))
  }
}

async function settleVersion(tx: Transaction, { id, value, version }: Stored<StoredSecretVersion>): Promise<void> {
  const payload = await tx.get(payloadCollection, id)
  if (payload) await tx.delete(payloadCollection, id, payload.version)
  await setAgenda(tx, 'secretVersions.destroy', { id, workspace_id: value.workspace_id }, undefined)
  const secret = await tx.get(secretCollection, value.secret_id)
  if (!secret || Number(value.id) > Number(secret.value.latest_version)) {
    await tx.delete(secretVersionCollection, id, version)
    return
  }
  const state = 'VAULT_SECRET_VERSION_STATE_ENABLED'
  const enabled_version_count = await tx.count(secretVersionCollection, { secret_id: value.secret_id, state })
  if (enabled_version_count !== secret.value.enabled_version_count)
    await tx.update(secretCollection, secret.id, { ...secret.value, enabled_version_count }, secret.version)
}

async function settleKeyVersion(tx: Transaction, { id, value, version }: Stored<StoredKeyVersion>): Promise<void> {
  const material = await tx.get(materialCollection, id)
  if (material) await tx.delete(materialCollection, id, material.version)
  const key = await tx.get(cryptoKeyCollection, value.crypto_key_id)
  if (!key || Number(value.id) > key.value.version_count) {
    await tx.delete(keyVersionCollection, id, version)
    return
  }
  const is_primary = key.value.primary_version === value.id
  if (is_primary !== value.is_primary) await tx.update(keyVersionCollection, id, { ...value, is_primary }, version)
}
