import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Transaction } from '../../../../domain/ports/store.ts'
import { quotaTotals, quotaUsages } from '../../../../domain/taxonomy/quotas/usage.ts'
import { authorityCollection, authorityState } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../../../../domain/vault/certificates/certificates-store.ts'
import { liveCollection } from '../../../../domain/vault/certificates/live-certificates.ts'
import { templateCollection } from '../../../../domain/vault/certificates/templates-store.ts'
import { materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { listCollection, partCollection, revocationCollection } from '../../../../domain/vault/revoked/lists-store.ts'
import { snapshotMarks } from '../../../../domain/vault/snapshots/snapshot-marks.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import type { Certificate, CertificateAuthority } from '../../../../output/vault/types.ts'
import type { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, type StorePlace } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId, addTenant, type Tenant } from '../../../areas/members.ts'
import { whileOpen } from '../../../areas/while-open.ts'
import { copyPlace, openBeside, testStorePlace } from '../../../server/store/left-place.ts'
import { certificateCalls } from '../certificates/tenant-certificates.ts'
import { patch, remove } from '../../taxonomy/broken-store.ts'
import { afterTests } from '../../../undo.ts'

const public_key_pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString()

const reason = 'VAULT_REVOCATION_REASON_SUPERSEDED'
const past = '2020-01-01T00:00:00.000Z'

/** The ids of the rows that a stopped platform has left. */
interface Left {
  readonly place: StorePlace
  readonly tenant: Tenant
  readonly root: CertificateAuthority
  /** A subordinate of the root. */
  readonly sub: CertificateAuthority
  readonly template: string
  /** An ACTIVE and a REVOKED certificate of the subordinate, and a certificate of the root. */
  readonly live: Certificate
  readonly revoked: Certificate
  readonly ofRoot: Certificate
}

async function leftPlace(): Promise<Left> {
  const place = await testStorePlace(afterTests)
  return whileOpen(place, async (api: Ninefold) => {
    const tenant = await addTenant(api, 'acme')
    const { workspace } = tenant
    const at = { workspace, engine: 'native' }
    const { vault } = api
    const calls = certificateCalls({ admin: { api }, at, workspace })
    const root = await calls.root('root')
    const sub = await calls.below(root, 'sub')
    const template = await calls.template(sub, 'web', { allowed_dns_names: ['*.acme.example'] })
    const config = { subject: { common_name: 'www.acme.example' }, public_key_pem }
    const issued = async (certificate_authority: string): Promise<Certificate> => {
      const id = await calls.issue(certificate_authority, { config })
      return vault.getCertificate({ ...at, certificate_authority, id })
    }
    const [live, revoked, ofRoot] = [await issued(sub), await issued(sub), await issued(root)]
    await vault.revokeCertificate({ ...at, certificate_authority: sub, id: revoked.id, body: { reason } })
    for (const id of [root, sub]) await vault.getCertificateRevocationList({ ...at, id })
    const authority = (id: string) => vault.getCertificateAuthority({ ...at, id })
    return { place, tenant, root: await authority(root), sub: await authority(sub), template, live, revoked, ofRoot }
  })
}

/** A change of rows past the checks of the platform, and the findings, each as a text or as a part of it. */
type Tampering = readonly [
  name: string,
  change: (tx: Transaction, left: Left) => Promise<unknown>,
  found: (left: Left) => readonly string[],
]

const ca = ({ id }: CertificateAuthority): string => `vault.certificateAuthorities ${id}:`
const leaf = ({ id }: Certificate): string => `vault.certificates ${id}:`

const tampered: readonly Tampering[] = [
  [
    'a live certificate that was revoked without a revocation',
    (tx, { live }) => patch(tx, certificateCollection, live.id, { state: certificateState('REVOKED') }),
    ({ live, sub }) => [
      `${leaf(live)} is VAULT_CERTIFICATE_STATE_REVOKED with another revocation`,
      `vault.liveCertificates ${sub.id}: counts 1 live certificates, and 0 are ACTIVE; delete the row`,
      `${ca(sub)} has no revocation of ${live.id}, which is REVOKED`,
    ],
  ],
  [
    'a revoked certificate that is live again',
    (tx, { revoked }) => patch(tx, certificateCollection, revoked.id, { state: certificateState('ACTIVE') }),
    ({ revoked, sub }) => [
      `${leaf(revoked)} is VAULT_CERTIFICATE_STATE_ACTIVE with another revocation`,
      `vault.liveCertificates ${sub.id}: counts 1 live certificates, and 2 are ACTIVE; delete the row`,
      `${ca(sub)} has a revocation of ${revoked.serial_number}, whose certificate is not REVOKED`,
    ],
  ],
  [
    'a certificate of another key',
    (tx, { live, ofRoot: { not_after_time, not_before_time, pem_certificate } }) => {
      // The times may lie in another second than those of the certificate of the row.
      const times = { not_after_time, not_before_time }
      return patch(tx, certificateCollection, live.id, { ...times, pem_certificate, serial_number: '41' })
    },
    ({ live }) => [
      `${leaf(live)} has serial_number 41, and its certificate has`,
      `${leaf(live)} has fingerprint_sha256 ${live.fingerprint_sha256}, and its certificate has`,
      `${leaf(live)} is not signed by its certificate authority`,
    ],
  ],
  [
    'an unreadable certificate',
    (tx, { live }) => patch(tx, certificateCollection, live.id, { pem_certificate: 'none' }),
    ({ live }) => [`${leaf(live)} has a certificate that cannot be read; restore it from a backup`],
  ],
  [
    'a certificate that holds longer than it says',
    (tx, { live }) => patch(tx, certificateCollection, live.id, { not_after_time: '2099-01-01T00:00:00.000Z' }),
    ({ live }) => [`${leaf(live)} has not_after_time 2099-01-01T00:00:00.000Z, and its certificate has`],
  ],
  [
    'a certificate of another authority',
    (tx, { live, root }) => patch(tx, certificateCollection, live.id, { certificate_authority_id: root.id }),
    ({ live, root, sub }) => [
      `${leaf(live)} names another key of its issuer than the authority has`,
      `${leaf(live)} is not signed by its certificate authority`,
      `vault.liveCertificates ${root.id}: counts 1 live certificates, and 2 are ACTIVE; delete the row`,
      `vault.liveCertificates ${sub.id}: counts 1 live certificates, and 0 are ACTIVE; delete the row`,
    ],
  ],
  [
    'a certificate that no work ends',
    (tx, { live }) => remove(tx, agenda, `certificates.end/${live.id}`),
    ({ live }) => [`${leaf(live)} is ACTIVE, and no work is due at its end`],
  ],
  [
    'an authority that no work ends',
    (tx, { sub }) => remove(tx, agenda, `certificateAuthorities.expire/${sub.id}`),
    ({ sub }) => [`${ca(sub)} is ENABLED, and no work is due at its end`],
  ],
  [
    'an authority without its key',
    (tx, { sub }) => remove(tx, materialCollection, `${sub.id}/versions/1`),
    ({ sub }) => [`${ca(sub)} is VAULT_CERTIFICATE_AUTHORITY_STATE_ENABLED without a key`],
  ],
  [
    'an authority with the certificate of another',
    (tx, { root, sub }) =>
      patch(tx, authorityCollection, sub.id, { pem_certificate: root.pem_certificate, not_before_time: past }),
    ({ root, sub }) => [
      `${ca(sub)} has serial_number ${sub.serial_number}, and its certificate has ${root.serial_number}`,
      `${ca(sub)} has fingerprint_sha256 ${sub.fingerprint_sha256}, and its certificate has`,
      `${ca(sub)} has subject_key_id ${sub.subject_key_id}, and its certificate has`,
      `${ca(sub)} has not_before_time ${past}, and its certificate has`,
      `${ca(sub)} has not_after_time ${sub.not_after_time}, and its certificate has`,
      `${ca(sub)} has a chain that does not begin with its certificate`,
      `is not signed by its certificate authority`,
      `is not signed by its certificate authority`,
      `${ca(sub)} has a revocation list whose signature does not fit its certificate`,
    ],
  ],
  [
    'an authority with a chain to another root',
    (tx, { live, sub }) =>
      patch(tx, authorityCollection, sub.id, { pem_certificate_chain: [sub.pem_certificate, live.pem_certificate] }),
    ({ sub }) => [`${ca(sub)} has a certificate that the next of its chain has not signed`],
  ],
  [
    'an authority that is revoked without a revocation',
    (tx, { sub }) => patch(tx, authorityCollection, sub.id, { state: authorityState('REVOKED') }),
    ({ root, sub, tenant }) => [
      `${ca(root)} has no revocation of ${sub.id}, which is REVOKED`,
      `taxonomy.quotas vault.certificateAuthorities/${tenant.workspace}: counts 2, and the workspace has 1 rows`,
    ],
  ],
  [
    'an authority that waits for nothing',
    (tx, { sub }) => patch(tx, authorityCollection, sub.id, { state: authorityState('CREATING') }),
    ({ sub }) => [
      `${ca(sub)} is VAULT_CERTIFICATE_AUTHORITY_STATE_CREATING with a key`,
      `${ca(sub)} is VAULT_CERTIFICATE_AUTHORITY_STATE_CREATING with a certificate`,
    ],
  ],
  [
    'an authority without its parent',
    (tx, { sub }) => patch(tx, authorityCollection, sub.id, { parent_certificate_authority_id: absentId }),
    ({ sub }) => [`${ca(sub)} has the parent ${absentId}, which does not exist; restore it from a backup`],
  ],
  [
    'rows without their authority',
    (tx, { sub }) => remove(tx, authorityCollection, sub.id),
    ({ live, revoked, sub, template, tenant }) => [
      `vault.certificateTemplates ${template}: belongs to no certificate authority; restore it from a backup`,
      `${leaf(live)} belongs to no certificate authority; restore it from a backup`,
      `${leaf(revoked)} belongs to no certificate authority; restore it from a backup`,
      `vault.liveCertificates ${sub.id}: belongs to no certificate authority; delete the row`,
      `vault.revocationLists ${sub.id}: belongs to no authority`,
      `vault.revocations ${sub.id}/${revoked.serial_number}: belongs to no authority`,
      `belongs to no authority`,
      `vault.cryptoKeyMaterials ${sub.id}/versions/1: belongs to a crypto key or version that does not exist`,
      `vault.agenda certificateAuthorities.expire/${sub.id}: is due work of ${sub.id}, which does not exist`,
      `taxonomy.quotas vault.certificateAuthorities/${tenant.workspace}: counts 2, and the workspace has 1 rows`,
    ],
  ],
  [
    'a template of no authority',
    (tx, { template }) => patch(tx, templateCollection, template, { certificate_authority_id: absentId }),
    ({ template }) => [
      `vault.certificateTemplates ${template}: belongs to no certificate authority; restore it from a backup`,
    ],
  ],
  [
    'another number of live certificates',
    (tx, { sub }) => patch(tx, liveCollection, sub.id, { count: 0 }),
    ({ sub }) => [`vault.liveCertificates ${sub.id}: counts 0 live certificates, and 1 are ACTIVE; delete the row`],
  ],
  [
    'another usage of the quota of authorities',
    async (tx, { tenant }) => {
      const quota = 'vault.certificateAuthorities'
      await patch(tx, quotaUsages, `${quota}/${tenant.workspace}`, { amount: 3 })
      await patch(tx, quotaTotals, `${quota}/${tenant.organisation}`, { amount: 3 })
    },
    ({ tenant }) => [
      `taxonomy.quotas vault.certificateAuthorities/${tenant.workspace}: counts 3, and the workspace has 2 rows`,
    ],
  ],
  [
    'a lost revocation',
    (tx, { revoked, sub }) => remove(tx, revocationCollection, `${sub.id}/${revoked.serial_number}`),
    ({ revoked, sub }) => [
      `${ca(sub)} lists the serial number ${revoked.serial_number}, which is not revoked`,
      `${ca(sub)} has no revocation of ${revoked.id}, which is REVOKED`,
    ],
  ],
  [
    'a revocation of another reason',
    (tx, { revoked, sub }) =>
      patch(tx, revocationCollection, `${sub.id}/${revoked.serial_number}`, {
        reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE',
      }),
    ({ revoked, sub }) => [
      `${ca(sub)} has another reason or time of the revocation of ${revoked.id} than ${revoked.id} itself`,
    ],
  ],
  [
    'an authority without a list',
    (tx, { root }) => remove(tx, listCollection, root.id),
    ({ root }) => [`${ca(root)} is VAULT_CERTIFICATE_AUTHORITY_STATE_ENABLED without a revocation list`],
  ],
  [
    'a list with another count',
    (tx, { sub }) => patch(tx, listCollection, sub.id, { revoked_count: 9 }),
    ({ sub }) => [`${ca(sub)} has another revoked_count than its list`],
  ],
  [
    'a list of an earlier number',
    async (tx, { sub }) => {
      await patch(tx, listCollection, sub.id, { crl_number: '1' })
      await patch(tx, authorityCollection, sub.id, { crl_number: '1' })
    },
    ({ sub }) => [`${ca(sub)} has a list with the number ${sub.crl_number} in its bytes`],
  ],
  [
    'a list with altered bytes',
    async (tx, { sub }) => {
      for await (const { id, value, version } of tx.each(partCollection, { certificate_authority_id: sub.id })) {
        const der = Buffer.from(value.der, 'base64')
        der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
        await tx.update(partCollection, id, { ...value, der: der.toString('base64') }, version)
      }
    },
    ({ sub }) => [`${ca(sub)} has a revocation list whose signature does not fit its certificate`],
  ],
  [
    'a running snapshot without its work',
    tx => tx.insert(snapshotMarks, { id: 'running', snapshot_id: absentId, create_time: past }),
    () => [
      `vault.snapshots ${absentId}: is marked as running, and no work writes it; restart a server, which deletes the mark`,
    ],
  ],
]

describe('the doctor', () => {
  let left: Left

  beforeAll(async () => {
    left = await leftPlace()
  })

  it('finds nothing before', async () => {
    expect(await doctorFindings(left.place)).toEqual([])
  })

  it.each(tampered)('names %s', async (_, change, found) => {
    const place = await copyPlace(left.place, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(tx => change(tx, left))
    await store.close()
    expect(await doctorFindings(place)).toEqual(found(left).map(part => expect.stringContaining(part)))
  })

  it('finds the mark of a lost snapshot no more after a start, which deletes the mark', async () => {
    const place = await copyPlace(left.place, storeCollections(areas), onTestFinished)
    const store = await openBeside(place, storeCollections(areas))
    await store.tx(tx => tx.insert(snapshotMarks, { id: 'running', snapshot_id: absentId, create_time: past }))
    await store.close()
    await whileOpen(place, async ({ vault }) => {
      const { status } = await vault.waitOperation(await vault.takeSnapshot({ body: {} }))
      expect(status).toBe('VAULT_OPERATION_STATUS_DONE')
    })
    expect(await doctorFindings(place)).toEqual([])
  })
})
