import type { CryptoKey } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { setAgenda, type AgendaHandler, type AgendaHandlers } from '../work/agenda.ts'
import { isActive, nextTime } from '../work/due-time.ts'
import { cryptoKeyCollection } from './crypto-keys-store.ts'
import { rotated } from './crypto-keys.ts'
import { destroyed } from './key-deletion.ts'
import { eraseKeyBatch, removeKey } from './remove-key.ts'
import { schemeOf } from './key-form.ts'
import { isInState, keyVersionCollection, versionState } from './key-versions-store.ts'
import { symmetricMaterial } from './material.ts'

/** The due work of crypto keys and their versions. */
export const keyWork = (environment: VaultEnvironment): AgendaHandlers => ({
  'cryptoKeys.rotate': rotate(environment),
  'cryptoKeys.erase': async (tx, { resource_id }) =>
    (await eraseKeyBatch(environment, tx, resource_id)) ? 'again' : true,
  'cryptoKeyVersions.destroy': destroyScheduled(environment),
})

/** Rotates a key whose period is over, once after a downtime, and sets the next time by whole periods. */
const rotate =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    const scope = workspaceScope(workspace_id)
    await environment.taxonomy.share(tx, scope)
    const key = await tx.lock(cryptoKeyCollection, resource_id)
    const { next_rotation_time = '', rotation_period = '' } = key?.value ?? {}
    if (!key || key.value.state !== 'VAULT_CRYPTO_KEY_STATE_ENABLED' || !(Date.parse(next_rotation_time) <= now)) {
      const time = key?.value.state === 'VAULT_CRYPTO_KEY_STATE_ENABLED' ? next_rotation_time : ''
      await setAgenda(tx, 'cryptoKeys.rotate', { id: resource_id, workspace_id }, time || undefined)
      return true
    }
    if (environment.keyring.isSealed || !(await isActive(environment, tx, workspace_id))) return false
    const next = formatMillis(nextTime(Date.parse(next_rotation_time), durationMs(rotation_period), now))
    await rotateNow(environment, tx, key, { next, now })
    await setAgenda(tx, 'cryptoKeys.rotate', key.value, next)
    return true
  }

async function rotateNow(
  environment: VaultEnvironment,
  tx: Transaction,
  { id, value, version }: Stored<CryptoKey>,
  { next, now }: { readonly next: string; readonly now: number },
): Promise<void> {
  const material = symmetricMaterial(schemeOf(value.algorithm))
  const effect = await rotated(environment, tx, value, { material, now, operationId: '' })
  material.secret.fill(0)
  const times = { next_rotation_time: next, update_time: formatMillis(now) }
  await tx.update(cryptoKeyCollection, id, { ...value, ...effect.members, ...times }, version)
  const { resourceId = id, resourceType = 'vault.cryptoKeys' } = effect
  await environment.operations.begin(tx, {
    type: 'ROTATE',
    resourceType,
    resourceId,
    scope: workspaceScope(value.workspace_id),
  })
}

/**
 * Destroys a version whose window is over, and removes the key with its last version if the key is to be deleted. Waits
 * while the workspace is not active.
 */
const destroyScheduled =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    const scope = workspaceScope(workspace_id)
    await environment.taxonomy.share(tx, scope)
    const key = await tx.lock(cryptoKeyCollection, resource_id.slice(0, resource_id.indexOf('/')))
    const version = await tx.lock(keyVersionCollection, resource_id)
    const time = version?.value.destroy_time
    if (!key || !version || (time !== undefined && Date.parse(time) > now)) {
      await setAgenda(tx, 'cryptoKeyVersions.destroy', { id: resource_id, workspace_id }, key && time)
      return true
    }
    if (!(await isActive(environment, tx, workspace_id))) return false
    if (isInState(version.value, 'DESTROY_SCHEDULED')) {
      await tx.update(keyVersionCollection, version.id, destroyed(version.value, now), version.version)
      await environment.materials.remove(tx, version.id)
      const resource = { resourceType: 'vault.cryptoKeyVersions', resourceId: version.id } as const
      await environment.operations.begin(tx, { type: 'DESTROY', ...resource, scope })
    }
    await setAgenda(tx, 'cryptoKeyVersions.destroy', { id: resource_id, workspace_id }, undefined)
    if (await isOver(tx, key.value)) await removeKey(environment, tx, key, now)
    await environment.changes.revise(tx, `cryptoKeys/${key.id}`)
    return true
  }

/** Whether a key is to be deleted and has no version that is not destroyed. */
async function isOver(tx: Transaction, { id, state, version_count }: CryptoKey): Promise<boolean> {
  if (state !== 'VAULT_CRYPTO_KEY_STATE_DELETE_SCHEDULED') return false
  return (
    (await tx.count(keyVersionCollection, { crypto_key_id: id, state: versionState('DESTROYED') })) === version_count
  )
}
