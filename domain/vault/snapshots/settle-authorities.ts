import type { Transaction } from '../../ports/store.ts'
import { authorityCollection, authorityState, type StoredAuthority } from '../certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../certificates/certificates-store.ts'
import { keyVersionCollection, materialCollection } from '../keys/key-versions-store.ts'
import { nextEtag } from '../../resources/etag.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'

/**
 * Settles the restored certificate authorities: their revocation lists must be signed anew, because the snapshot may lack
 * later revocations and numbers of lists; and no operation ends the creation of pending authorities any more. Deletes
 * the revoked authorities and certificates of the replaced vault whose key or authority the snapshot does not have.
 */
export async function settleAuthorities(tx: Transaction, now: number): Promise<void> {
  for await (const { id, value, version } of tx.each(authorityCollection)) {
    if (await hasKey(tx, value)) {
      const settled = settledAuthority(value, now)
      if (settled !== value) await tx.update(authorityCollection, id, settled, version)
    } else await tx.delete(authorityCollection, id, version)
  }
  for await (const { id, value, version } of tx.each(certificateCollection, { state: certificateState('REVOKED') }))
    if (!(await tx.exists(authorityCollection, { id: value.certificate_authority_id ?? '' })))
      await tx.delete(certificateCollection, id, version)
}

/** Whether the key of an authority is there; an authority whose key is still to be generated has none, and stays. */
const hasKey = async (tx: Transaction, { key_row_id, state }: StoredAuthority): Promise<boolean> =>
  state !== authorityState('REVOKED') ||
  (await tx.exists(materialCollection, { id: key_row_id })) ||
  (await tx.exists(keyVersionCollection, { row_id: key_row_id }))

function settledAuthority(authority: StoredAuthority, now: number): StoredAuthority {
  if (authority.state === authorityState('CREATING'))
    return {
      ...authority,
      state: authorityState('FAILED'),
      operation_id: '',
      etag: nextEtag(authority.etag),
      update_time: formatMillis(now),
    }
  return authority.pem_certificate === '' || authority.crl_dirty === 'yes'
    ? authority
    : { ...authority, crl_dirty: 'yes' }
}
