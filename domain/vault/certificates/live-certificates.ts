import { certificateQuotaExceeded } from '../../../output/vault/errors.ts'
import type { Finding } from '../../ports/inspection.ts'
import type { Collection, Reader, Store, Transaction } from '../../ports/store.ts'
import { authorityCollection } from './authorities-store.ts'
import { certificateCollection, certificateState, type StoredCertificate } from './certificates-store.ts'

/**
 * The number of certificates of an authority with the stored state ACTIVE. The first issue creates the row. An older
 * store and a restored store have no row until the next issue, which counts the certificates once.
 */
export interface LiveCertificates {
  /** The id of the authority. */
  readonly id: string
  readonly workspace_id: string
  readonly count: number
}

/** The numbers of live certificates of all authorities. They follow from the certificates, so snapshots leave them out. */
export const liveCollection: Collection<LiveCertificates> = {
  name: 'vault_live_certificates',
  id: 'id',
  columns: { workspace_id: 'STRING' },
  indexes: [['workspace_id']],
}

/** The maximal number of certificates of an authority that are not revoked and have not expired. */
export const maxLive = 100_000

const active = certificateState('ACTIVE')

/**
 * Step 14: counts a certificate that the transaction has inserted; the transaction has locked the authority. Throws
 * CERTIFICATE_QUOTA_EXCEEDED if the authority then has too many live certificates.
 */
export async function addLive(
  tx: Transaction,
  { certificate_authority_id: id, workspace_id }: StoredCertificate,
): Promise<void> {
  const stored = await tx.lock(liveCollection, id)
  const where = { certificate_authority_id: id, state: active }
  const count = stored ? stored.value.count + 1 : await tx.count(certificateCollection, where)
  if (count > maxLive)
    throw certificateQuotaExceeded(
      `certificate authority ${id} has ${maxLive} active certificates; revoke some first`,
      {
        quota: [
          { subject: `vault.certificateAuthorities/${id}`, description: `at most ${maxLive} active certificates` },
        ],
      },
    )
  if (stored) await tx.update(liveCollection, id, { ...stored.value, count }, stored.version)
  else await tx.insert(liveCollection, { id, workspace_id, count })
}

/**
 * Counts a certificate that the transaction takes out of the state ACTIVE. The transaction has locked or shared the
 * authority, so that no concurrent issue counts the certificate for the first time.
 */
export async function endLive(
  tx: Transaction,
  { certificate_authority_id: id }: Pick<StoredCertificate, 'certificate_authority_id'>,
): Promise<void> {
  const stored = await tx.lock(liveCollection, id)
  if (stored) await tx.update(liveCollection, id, { ...stored.value, count: stored.value.count - 1 }, stored.version)
}

/** Deletes the numbers of a workspace, in which nothing is issued any more, before its certificates are deleted. */
export const eraseLive = (store: Store, workspace_id: string): Promise<void> =>
  store.tx(async tx => {
    for await (const { id, version } of tx.each(liveCollection, { workspace_id }))
      await tx.delete(liveCollection, id, version)
  })

/** Deletes all numbers, because certificates were written past them; the next issue of an authority counts again. */
export async function forgetLive(tx: Transaction): Promise<void> {
  for await (const { id, version } of tx.each(liveCollection)) await tx.delete(liveCollection, id, version)
}

/** Checks that each number belongs to an authority, and is the number of its ACTIVE certificates. */
export async function* inspectLive(reader: Reader): AsyncGenerator<Finding, void, undefined> {
  const counts = await reader.tally(certificateCollection, 'certificate_authority_id', { state: active })
  for await (const { id, value } of reader.each(liveCollection)) {
    const finding = (message: string): Finding => ({ resourceType: 'vault.liveCertificates', id, message })
    if (!(await reader.exists(authorityCollection, { id })))
      yield finding('belongs to no certificate authority; delete the row')
    else if ((counts.get(id) ?? 0) !== value.count)
      yield finding(`counts ${value.count} live certificates, and ${counts.get(id) ?? 0} are ACTIVE; delete the row`)
  }
}
