import type { Secret } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { systemActivity, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { durationMs } from '../../resources/durations.ts'
import { setAgenda, type AgendaHandler, type AgendaHandlers } from '../work/agenda.ts'
import { isActive, nextTime } from '../work/due-time.ts'
import { eraseBatch, removeExpired } from './remove-secret.ts'
import { isExpired } from './secret-expiry.ts'
import { secretVersionCollection } from './secret-versions-store.ts'
import { secretCollection } from './secrets-store.ts'
import { destroyVersion } from './version-states.ts'

/** The due work of secrets and their versions. */
export const secretWork = (environment: VaultEnvironment): AgendaHandlers => ({
  'secrets.expire': expire(environment),
  'secrets.announceRotation': announceRotation(environment),
  'secrets.erase': async (tx, { resource_id }) => ((await eraseBatch(tx, resource_id)) ? 'again' : true),
  'secretVersions.destroy': destroyScheduled(environment),
})

/** Deletes an expired secret, in any state of its workspace. */
const expire =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    await environment.taxonomy.share(tx, workspaceScope(workspace_id))
    const secret = await tx.lock(secretCollection, resource_id)
    if (secret && isExpired(secret.value, now)) await removeExpired(tx, environment, secret, now)
    else await setAgenda(tx, 'secrets.expire', { id: resource_id, workspace_id }, secret?.value.expire_time)
    return true
  }

/** Announces that a new value is due, once after a downtime, and sets the next time by whole periods. */
const announceRotation =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    const { audit, taxonomy } = environment
    await taxonomy.share(tx, workspaceScope(workspace_id))
    const secret = await tx.lock(secretCollection, resource_id)
    const { next_rotation_time = '', rotation_period = '' } = secret?.value.rotation ?? {}
    if (!secret || !(Date.parse(next_rotation_time) <= now)) {
      await setAgenda(
        tx,
        'secrets.announceRotation',
        { id: resource_id, workspace_id },
        next_rotation_time || undefined,
      )
      return true
    }
    if (!(await isActive(environment, tx, workspace_id))) return false
    const next = nextTime(Date.parse(next_rotation_time), durationMs(rotation_period), now)
    const rotation = { rotation_period, next_rotation_time: formatMillis(next) }
    await tx.update(secretCollection, secret.id, { ...secret.value, rotation }, secret.version)
    await setAgenda(tx, 'secrets.announceRotation', secret.value, rotation.next_rotation_time)
    await audit.recordActivity(tx, rotationDue(secret.value))
    return true
  }

const rotationDue = ({ id, workspace_id }: Secret): Activity =>
  systemActivity({
    area: 'vault',
    action: 'vault.secrets.rotationDue',
    resourceType: 'vault.secrets',
    resourceId: id,
    scope: workspaceScope(workspace_id),
  })

/** Destroys a version whose delay has passed; waits while the workspace is not active. */
const destroyScheduled =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    const { operations, taxonomy } = environment
    const scope = workspaceScope(workspace_id)
    await taxonomy.share(tx, scope)
    const secretId = resource_id.slice(0, resource_id.indexOf('/'))
    const secret = await tx.lock(secretCollection, secretId)
    const version = await tx.lock(secretVersionCollection, resource_id)
    const time = version?.value.scheduled_destroy_time
    if (!secret || !version || time === undefined || Date.parse(time) > now) {
      await setAgenda(tx, 'secretVersions.destroy', { id: resource_id, workspace_id }, secret && time)
      return true
    }
    if (!(await isActive(environment, tx, workspace_id))) return false
    await destroyVersion(tx, { secret, version }, now)
    await operations.begin(tx, {
      type: 'DESTROY',
      resourceType: 'vault.secretVersions',
      resourceId: resource_id,
      scope,
    })
    return true
  }
