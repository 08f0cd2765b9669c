import { formatMillis } from '../../../runtime/timestamps.ts'
import { systemActivity, type Activity } from '../../ports/audit.ts'
import { workspaceScope } from '../../resources/kind.ts'
import type { VaultEnvironment } from '../environment.ts'
import { setAgenda, type AgendaHandler, type AgendaHandlers } from '../work/agenda.ts'
import { authorityCollection, authorityState } from './authorities-store.ts'
import { nextNotice } from './certificate-row.ts'
import { authorityStateAt, certificateStateAt } from './certificate-states.ts'
import { certificateCollection, certificateState, type StoredCertificate } from './certificates-store.ts'
import { endLive } from './live-certificates.ts'
import { returnQuota } from './make-authority.ts'

/** The due work of authorities and certificates. */
export const certificateWork = (environment: VaultEnvironment): AgendaHandlers => ({
  'certificateAuthorities.expire': expireAuthority(environment),
  'certificates.end': endCertificate(environment),
})

/** Records the expiry of an authority and returns its amount to the quota, in any state of its workspace. */
const expireAuthority =
  (environment: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    await environment.taxonomy.share(tx, workspaceScope(workspace_id))
    const stored = await tx.lock(authorityCollection, resource_id)
    const isEnabled = stored?.value.state === authorityState('ENABLED')
    if (stored && isEnabled && authorityStateAt(stored.value, now) === authorityState('EXPIRED')) {
      const next = { ...stored.value, state: authorityState('EXPIRED'), update_time: formatMillis(now) }
      await tx.update(authorityCollection, stored.id, next, stored.version)
      await returnQuota(environment, tx, stored.value, next)
    }
    const isLater = isEnabled && authorityStateAt(stored.value, now) === authorityState('ENABLED')
    const time = isLater ? stored.value.not_after_time : undefined
    await setAgenda(tx, 'certificateAuthorities.expire', { id: resource_id, workspace_id }, time)
    return true
  }

/**
 * Announces that a certificate ends, 30, 7 and 1 days before, and records its end, in any state of its workspace. After a
 * downtime one notice is written.
 */
const endCertificate =
  ({ audit, taxonomy }: VaultEnvironment): AgendaHandler =>
  async (tx, { resource_id, workspace_id }, now) => {
    await taxonomy.share(tx, workspaceScope(workspace_id))
    const seen = await tx.get(certificateCollection, resource_id)
    // An issue that counts the certificates for the first time locks the authority.
    if (seen) await tx.share(authorityCollection, seen.value.certificate_authority_id)
    const stored = await tx.lock(certificateCollection, resource_id)
    const resource = { id: resource_id, workspace_id }
    if (!stored || stored.value.state !== certificateState('ACTIVE')) {
      await setAgenda(tx, 'certificates.end', resource, undefined)
      return true
    }
    if (certificateStateAt(stored.value, now) === certificateState('EXPIRED')) {
      const next = { ...stored.value, state: certificateState('EXPIRED'), update_time: formatMillis(now) }
      await tx.update(certificateCollection, stored.id, next, stored.version)
      await endLive(tx, next)
      await setAgenda(tx, 'certificates.end', resource, undefined)
      return true
    }
    await setAgenda(tx, 'certificates.end', resource, nextNotice(stored.value, now))
    await audit.recordActivity(tx, expiring(stored.value))
    return true
  }

const expiring = ({ id, workspace_id }: StoredCertificate): Activity =>
  systemActivity({
    area: 'vault',
    action: 'vault.certificates.expiring',
    resourceType: 'vault.certificates',
    resourceId: id,
    scope: workspaceScope(workspace_id),
  })
