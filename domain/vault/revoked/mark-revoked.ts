import { randomUUID } from 'node:crypto'
import type { Revocation } from '../../../output/vault/types.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Transaction } from '../../ports/store.ts'
import { listCollection, revocationCollection, revocationId } from './lists-store.ts'

/** A certificate that is revoked. */
export interface RevokedCertificate {
  /** The authority that has issued the certificate. */
  readonly issuer: string
  readonly workspace_id: string
  readonly serial_number: string
  readonly not_after_time: string
}

/**
 * Begins the revocation list of an authority, in the transaction that makes the authority ENABLED. The first list is
 * signed by the next read, or by the worker.
 */
export async function startList(
  tx: Transaction,
  { id, workspace_id }: { readonly id: string; readonly workspace_id: string },
  now: number,
): Promise<void> {
  await tx.insert(listCollection, {
    id,
    workspace_id,
    crl_number: '',
    content: '',
    parts: 0,
    revoked_count: 0,
    is_same_second: false,
    is_dirty: true,
    mark: randomUUID(),
    renew_time: formatMillis(now),
  })
}

/**
 * Puts a certificate on the list of its issuer, and marks the list as dirty. The transaction has locked or shared the
 * issuer.
 */
export async function markRevoked(
  tx: Transaction,
  { issuer, not_after_time, serial_number, workspace_id }: RevokedCertificate,
  { reason, revoke_time }: Revocation,
): Promise<void> {
  const list = await tx.lock(listCollection, issuer)
  await tx.insert(revocationCollection, {
    id: revocationId(issuer, serial_number),
    certificate_authority_id: issuer,
    workspace_id,
    serial_number,
    reason,
    revoke_time,
    not_after_time,
  })
  if (!list) return
  const dirty = { is_dirty: true, mark: randomUUID(), renew_time: revoke_time }
  await tx.update(listCollection, issuer, { ...list.value, ...dirty }, list.version)
}
