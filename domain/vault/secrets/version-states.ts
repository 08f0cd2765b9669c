import { secretVersionDestroyed } from '../../../output/vault/errors.ts'
import type { Secret, SecretVersionState } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { durationMs } from '../../resources/durations.ts'
import { setAgenda } from '../work/agenda.ts'
import { payloadCollection, secretVersionCollection, type StoredSecretVersion } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'

const enabled = 'VAULT_SECRET_VERSION_STATE_ENABLED'
const disabled = 'VAULT_SECRET_VERSION_STATE_DISABLED'
const destroyed = 'VAULT_SECRET_VERSION_STATE_DESTROYED'

/** A version and its secret, both locked. */
export interface LockedVersion {
  readonly secret: Stored<Secret>
  readonly version: Stored<StoredSecretVersion>
}

/** Step 11: throws SECRET_VERSION_DESTROYED for a destroyed version, on which no verb has an effect. */
export function requireUndestroyed({ value: { row_id, state } }: Stored<StoredSecretVersion>): void {
  if (state !== destroyed) return
  throw secretVersionDestroyed(`version ${row_id} is destroyed, and its payload is gone`, {
    resource: { type: 'vault.secretVersions', name: row_id },
    precondition: [{ type: 'STATE', subject: row_id, description: `the state must be ${enabled} or ${disabled}` }],
  })
}

/** Disables a version; does nothing if the version is disabled. */
export async function disableVersion(tx: Transaction, locked: LockedVersion, now: number): Promise<void> {
  if (locked.version.value.state !== disabled) await become(tx, locked, disabled, now)
}

/** Enables a version and cancels its scheduled destruction; does nothing if the version is enabled. */
export async function enableVersion(tx: Transaction, locked: LockedVersion, now: number): Promise<void> {
  if (locked.version.value.state !== enabled) await become(tx, locked, enabled, now)
}

/**
 * Destroys a version, or schedules its destruction if the secret has a delay; does nothing if the destruction is
 * scheduled already. Returns whether the payload was erased.
 */
export async function destroyOrSchedule(tx: Transaction, locked: LockedVersion, now: number): Promise<boolean> {
  const { secret, version } = locked
  const delayMs = durationMs(secret.value.version_destroy_delay)
  if (delayMs === 0) {
    await destroyVersion(tx, locked, now)
    return true
  }
  if (version.value.scheduled_destroy_time === undefined)
    await become(tx, locked, disabled, now, { scheduled_destroy_time: formatMillis(now + delayMs) })
  return false
}

/** Destroys a version and erases its payload. */
export async function destroyVersion(tx: Transaction, locked: LockedVersion, now: number): Promise<void> {
  await become(tx, locked, destroyed, now, { destroy_time: formatMillis(now) })
  const { id } = locked.version
  const payload = await tx.lock(payloadCollection, id)
  if (payload) await tx.delete(payloadCollection, id, payload.version)
}

/** Sets the state of a version, the times that follow from it, and the number of enabled versions of its secret. */
async function become(
  tx: Transaction,
  { secret, version }: LockedVersion,
  state: SecretVersionState,
  now: number,
  times: Pick<StoredSecretVersion, 'destroy_time' | 'scheduled_destroy_time'> = {},
): Promise<void> {
  const { scheduled_destroy_time: _before, ...value } = version.value
  const changed = { ...value, ...times, state, etag: nextEtag(value.etag), update_time: formatMillis(now) }
  await tx.update(secretVersionCollection, version.id, changed, version.version)
  await setAgenda(tx, 'secretVersions.destroy', { ...value, id: version.id }, times.scheduled_destroy_time)
  const change = Number(state === enabled) - Number(value.state === enabled)
  if (change === 0) return
  const enabled_version_count = secret.value.enabled_version_count + change
  await tx.update(secretCollection, secret.id, { ...secret.value, enabled_version_count }, secret.version)
}
