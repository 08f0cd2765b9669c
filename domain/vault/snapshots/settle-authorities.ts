import { randomUUID } from 'node:crypto'
import { formatMillis } from '../../../runtime/timestamps.ts'
import type { Stored, Transaction } from '../../ports/store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { authorityCollection, authorityState, type StoredAuthority } from '../certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../certificates/certificates-store.ts'
import { forgetLive } from '../certificates/live-certificates.ts'
import { keyVersionCollection, materialCollection } from '../keys/key-versions-store.ts'
import { listCollection, revocationCollection } from '../revoked/lists-store.ts'
import { startList } from '../revoked/mark-revoked.ts'

/**
 * Settles the restored certificate authorities: their revocation lists must be signed anew, because the snapshot may lack
 * later revocations and numbers of lists; and no operation ends the creation of pending authorities any more. Deletes
 * the revoked authorities and certificates of the replaced vault whose key or authority the snapshot does not have;
 * their revocations stay on the lists of their issuers.
 */
export async function settleAuthorities(tx: Transaction, now: number): Promise<void> {
  const time = formatMillis(now)
  await forgetLive(tx)
  for await (const stored of tx.each(authorityCollection)) {
    const { id, value, version } = stored
    if (!(await isComplete(tx, value))) await tx.delete(authorityCollection, id, version)
    else if (value.state === authorityState('REVOKED')) await settleList(tx, stored, now)
    else if (value.state === authorityState('CREATING')) {
      const state = authorityState('FAILED')
      const failed = { state, operation_id: '', etag: nextEtag(value.etag), update_time: time }
      await tx.update(authorityCollection, id, { ...value, ...failed }, version)
    }
  }
  for await (const { id, value, version } of tx.each(certificateCollection, { state: certificateState('REVOKED') }))
    if (!(await tx.exists(authorityCollection, { id: value.certificate_authority_id })))
      await tx.delete(certificateCollection, id, version)
  for await (const { id, value, version } of tx.each(revocationCollection))
    if (!(await tx.exists(authorityCollection, { id: value.certificate_authority_id })))
      await tx.delete(revocationCollection, id, version)
  for await (const { id, value, version } of tx.each(listCollection)) {
    const dirty = { is_dirty: true, mark: randomUUID(), renew_time: time }
    await tx.update(listCollection, id, { ...value, ...dirty }, version)
  }
}

/**
 * Whether the key of a revoked authority and the authorities above it are there; all other authorities come from the
 * snapshot with their keys and parents.
 */
async function isComplete(tx: Transaction, authority: StoredAuthority): Promise<boolean> {
  const { key_row_id, parent_certificate_authority_id: parent, state } = authority
  if (state !== authorityState('REVOKED')) return true
  const hasKey =
    (await tx.exists(materialCollection, { id: key_row_id })) ||
    (await tx.exists(keyVersionCollection, { row_id: key_row_id }))
  if (!hasKey || parent === '') return hasKey
  const above = await tx.get(authorityCollection, parent)
  return above !== undefined && isComplete(tx, above.value)
}

/**
 * Makes a revoked authority of the replaced vault agree with its list: the snapshot has an older list, or none if the
 * authority was certified later.
 */
async function settleList(
  tx: Transaction,
  { id, value, version }: Stored<StoredAuthority>,
  now: number,
): Promise<void> {
  if (value.pem_certificate === '') return
  const list = await tx.get(listCollection, id)
  if (!list) await startList(tx, value, now)
  const crl_number = list?.value.crl_number ?? ''
  if (crl_number !== value.crl_number) await tx.update(authorityCollection, id, { ...value, crl_number }, version)
}
