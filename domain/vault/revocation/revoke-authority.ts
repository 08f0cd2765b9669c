import type { Revocation, RevokeCertificateAuthorityRequest } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { isAt, requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { takeDifference } from '../../resources/quota-difference.ts'
import { authorityCollection, authorityState, type StoredAuthority } from '../certificates/authorities-store.ts'
import { authorityKind } from '../certificates/authority-kind.ts'
import { authorityStateAt } from '../certificates/certificate-states.ts'
import type { VaultEnvironment } from '../environment.ts'
import { clearAgenda } from '../work/agenda.ts'
import { markRevoked } from '../revoked/mark-revoked.ts'
import { notEnabled } from './revocation-lists.ts'

/**
 * Revokes an authority in any state of its workspace. Its certificate stands on the list of its parent from then on, if
 * the platform has the parent; its own list is served and renewed until its certificate ends.
 */
export function revokeAuthority(
  { operations, taxonomy }: Pick<VaultEnvironment, 'operations' | 'taxonomy'>,
  request: RevokeCertificateAuthorityRequest,
  context: CallContext,
) {
  const { body, id, workspace } = request
  const scope = workspaceScope(workspace)
  return operations.mutate(context, request, async tx => {
    await taxonomy.share(tx, scope)
    const stored = await requireFound(tx, taxonomy, authorityKind, request, await lockBelowParent(tx, request))
    const { value, version } = stored
    checkEtag(body.etag, value.etag)
    const state = authorityStateAt(value, context.now)
    if (state !== authorityState('ENABLED') && state !== authorityState('AWAITING_ACTIVATION'))
      throw notEnabled(id, state, 'ENABLED or AWAITING_ACTIVATION')
    const time = formatMillis(context.now)
    const revocation: Revocation = { reason: body.reason, revoke_time: time }
    const next: StoredAuthority = {
      ...value,
      state: authorityState('REVOKED'),
      pem_csr: '',
      revocation,
      update_time: time,
    }
    await tx.update(authorityCollection, id, next, version)
    await clearAgenda(tx, id)
    await markAtParent(tx, value, revocation)
    const [before, after] = [authorityKind.takes?.(value) ?? [], authorityKind.takes?.(next) ?? []]
    await takeDifference(tx, taxonomy, workspace, before, after)
    return { type: 'REVOKE', resourceType: authorityKind.type, resourceId: id, scope }
  })
}

/** Locks the parent of an authority at the place of the path, if it has one, and then the authority. */
async function lockBelowParent(
  tx: Transaction,
  { engine, id, workspace }: Pick<RevokeCertificateAuthorityRequest, 'workspace' | 'engine' | 'id'>,
): Promise<Stored<StoredAuthority> | undefined> {
  const seen = (await tx.get(authorityCollection, id))?.value
  const parent = seen && isAt(seen, { workspace, engine }) ? seen.parent_certificate_authority_id : ''
  if (parent !== '') await tx.lock(authorityCollection, parent)
  return tx.lock(authorityCollection, id)
}

async function markAtParent(tx: Transaction, authority: StoredAuthority, revocation: Revocation): Promise<void> {
  const { not_after_time, parent_certificate_authority_id: issuer, serial_number, workspace_id } = authority
  if (issuer === '' || not_after_time === undefined) return
  await markRevoked(tx, { issuer, workspace_id, serial_number, not_after_time }, revocation)
}
