import { certificateAlreadyRevoked, certificateExpired } from '../../../output/vault/errors.ts'
import type { RevokeCertificateRequest, Revocation } from '../../../output/vault/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { requireFound } from '../../resources/find-rows.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { authorityKind } from '../certificates/authority-kind.ts'
import { certificateKind } from '../certificates/certificate-kind.ts'
import { certificateStateAt } from '../certificates/certificate-states.ts'
import { certificateCollection, certificateState, type StoredCertificate } from '../certificates/certificates-store.ts'
import { endLive } from '../certificates/live-certificates.ts'
import type { VaultEnvironment } from '../environment.ts'
import { markRevoked } from '../revoked/mark-revoked.ts'

/**
 * Revokes a certificate in any state of its workspace and of its authority, because a revocation only takes trust away
 * (vault.md 4.7). No key is needed: the list is signed later.
 */
export function revokeCertificate(
  { operations, taxonomy }: Pick<VaultEnvironment, 'operations' | 'taxonomy'>,
  request: RevokeCertificateRequest,
  context: CallContext,
) {
  const { body, certificate_authority, engine, id, workspace } = request
  const scope = workspaceScope(workspace)
  return operations.mutate(context, request, async tx => {
    await taxonomy.share(tx, scope)
    await authorityKind.hold(tx, certificate_authority, 'lock')
    const path = { workspace, engine, certificate_authority, id }
    const found = await tx.lock(certificateCollection, id)
    const { value, version } = await requireFound(tx, taxonomy, certificateKind, path, found)
    checkEtag(body.etag, value.etag)
    requireRevocable(value, context.now)
    const time = formatMillis(context.now)
    const revocation: Revocation = { reason: body.reason, revoke_time: time }
    const next = { ...value, state: certificateState('REVOKED'), revocation, update_time: time }
    await tx.update(certificateCollection, id, next, version)
    await endLive(tx, value)
    await markRevoked(tx, { ...value, issuer: value.certificate_authority_id }, revocation)
    return { type: 'REVOKE', resourceType: certificateKind.type, resourceId: id, scope }
  })
}

/** Throws CERTIFICATE_ALREADY_REVOKED or CERTIFICATE_EXPIRED unless the certificate is ACTIVE at the time. */
function requireRevocable(certificate: StoredCertificate, now: number): void {
  const { id, not_after_time } = certificate
  const details = {
    resource: { type: certificateKind.type, name: id },
    precondition: [{ type: 'STATE', subject: id, description: 'the certificate must be ACTIVE' }],
  }
  const state = certificateStateAt(certificate, now)
  if (state === certificateState('REVOKED'))
    throw certificateAlreadyRevoked(`certificate ${id} is already revoked; a revocation is final`, details)
  if (state === certificateState('EXPIRED'))
    throw certificateExpired(`certificate ${id} expired at ${not_after_time}, and needs no revocation`, details)
}
