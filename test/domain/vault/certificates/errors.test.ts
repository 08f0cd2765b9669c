import { beforeAll, describe, expect, it } from 'vitest'
import type { Collection, Transaction } from '../../../../domain/ports/store.ts'
import { authorityCollection } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection, certificateState } from '../../../../domain/vault/certificates/certificates-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { recordedActivities } from '../../../areas/activities.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { absentId } from '../../../areas/members.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { patch } from '../../taxonomy/broken-store.ts'
import { tenantCertificates, type TenantCertificates } from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

const dayMs = 86_400_000
const past = '2026-01-01T00:00:00.000Z'
const body = { reason: 'VAULT_REVOCATION_REASON_SUPERSEDED' } as const

let tenant: TenantCertificates
let store: Awaited<ReturnType<typeof openBeside>>
let count = 0

beforeAll(async () => {
  tenant = await tenantCertificates({ later: afterTests })
  store = await openBeside(tenant.platform.config, storeCollections(areas))
  afterTests(() => store.close())
})

const next = (): string => `made-${(count += 1)}`

const web = () => ({
  name: next(),
  config: { subject: { common_name: 'www.acme.example' } },
  private_key_secret_name: next(),
})

/** Runs a transaction on the store of the platform, beside the platform. */
const change = <R>(fn: (tx: Transaction) => Promise<R>): Promise<R> => store.tx(fn)

/** Changes members of a row, as time would have done. */
const age = <T>(collection: Collection<T>, id: string, members: Partial<T>): Promise<void> =>
  change(tx => patch(tx, collection, id, members))

const authority = (name: string) => ({ type: 'vault.certificateAuthorities', name })

it('a certificate that has expired is not revoked', async () => {
  const { admin, at, issue, root } = tenant
  const top = await root(next())
  const id = await issue(top, web())
  await age(certificateCollection, id, { not_after_time: past })
  await expect(
    admin.api.vault.revokeCertificate({ ...at, certificate_authority: top, id, body }),
  ).rejects.toMatchObject({
    reason: 'CERTIFICATE_EXPIRED',
    code: 9_007_003,
    rpc: 'FAILED_PRECONDITION',
    details: {
      resource: { type: 'vault.certificates', name: id },
      precondition: [{ type: 'STATE', subject: id, description: expect.any(String) }],
    },
  })
})

describe.each(['REVOKED', 'EXPIRED'] as const)('an authority whose root is %s', state => {
  /** Creates a chain of three authorities, and ends the first one. */
  async function ended() {
    const { admin, at, below, root } = tenant
    const top = await root(next(), { max_path_length: 3 })
    const middle = await below(top, next(), { max_path_length: 2, lifetime: '8640000s' })
    const low = await below(middle, next(), { max_path_length: 1, lifetime: '864000s' })
    if (state === 'REVOKED') await admin.api.vault.revokeCertificateAuthority({ ...at, id: top, body })
    else await age(authorityCollection, top, { not_after_time: past })
    return { top, middle, low }
  }

  it('issues neither certificates nor authorities, and the error names the root', async () => {
    const { below, issue } = tenant
    const { low, middle, top } = await ended()
    const unusable = {
      reason: 'ISSUER_NOT_USABLE',
      code: 9_006_007,
      rpc: 'FAILED_PRECONDITION',
      details: {
        resource: authority(top),
        precondition: [{ type: 'STATE', subject: top, description: expect.any(String) }],
      },
    }
    for (const issuer of [middle, low]) await expect(issue(issuer, web())).rejects.toMatchObject(unusable)
    await expect(below(low, next(), { max_path_length: 0, lifetime: '86400s' })).rejects.toMatchObject(unusable)
    const notEnabled = {
      reason: 'CA_NOT_ENABLED',
      code: 9_006_003,
      metadata: { state: `VAULT_CERTIFICATE_AUTHORITY_STATE_${state}` },
      details: { resource: authority(top), precondition: [{ type: 'STATE', subject: top }] },
    }
    await expect(issue(top, web())).rejects.toMatchObject(notEnabled)
    await expect(below(top, next())).rejects.toMatchObject(notEnabled)
  })

  it('still serves its lists', async () => {
    const { admin, at } = tenant
    const { low, top } = await ended()
    for (const id of [low, top])
      expect(await admin.api.vault.getCertificateRevocationList({ ...at, id })).toMatchObject({
        certificate_authority_id: id,
      })
  })
})

it('an authority below a path length of 0 is refused, and so is a path length that is not smaller', async () => {
  const { below, root } = tenant
  const flat = await root(next(), { max_path_length: 0 })
  const deep = await root(next(), { max_path_length: 2 })
  for (const [parent, max_path_length] of [
    [flat, 0],
    [deep, 2],
  ] as const)
    await expect(below(parent, next(), { max_path_length })).rejects.toMatchObject({
      reason: 'PATH_LENGTH_EXCEEDED',
      code: 9_006_006,
      details: { resource: authority(parent), precondition: [{ type: 'PATH_LENGTH', subject: parent }] },
    })
})

it('names are taken once: of authorities in the workspace, of templates and certificates in the authority', async () => {
  const { issue, root, template } = tenant
  const name = next()
  const [top, other] = [await root(name), await root(next())]
  await expect(root(name)).rejects.toMatchObject({ reason: 'CA_ALREADY_EXISTS', code: 9_006_002 })
  await template(top, name)
  await template(other, name)
  await expect(template(top, name)).rejects.toMatchObject({ reason: 'TEMPLATE_ALREADY_EXISTS', code: 9_008_002 })
  await issue(top, { ...web(), name })
  await issue(other, { ...web(), name })
  const again = web()
  await expect(issue(top, { ...again, name })).rejects.toMatchObject({
    reason: 'CERTIFICATE_ALREADY_EXISTS',
    code: 9_007_010,
  })
  // The refused call has taken no name of a secret.
  await issue(top, again)
  await expect(issue(top, { ...web(), private_key_secret_name: again.private_key_secret_name })).rejects.toMatchObject({
    reason: 'SECRET_ALREADY_EXISTS',
    code: 9_001_002,
  })
})

it('absent authorities, templates and certificates are not found, nor are those of another authority', async () => {
  const { admin, at, issue, root, template } = tenant
  const { vault } = admin.api
  const [top, other] = [await root(next()), await root(next())]
  const [certificate, web_template] = [await issue(other, web()), await template(other, next())]
  const path = { ...at, certificate_authority: top }
  const noAuthority = { reason: 'CA_NOT_FOUND', code: 9_006_001, details: { resource: authority(absentId) } }
  const absent = { ...at, certificate_authority: absentId }
  for (const call of [
    () => vault.getCertificateAuthority({ ...at, id: absentId }),
    () => vault.revokeCertificateAuthority({ ...at, id: absentId, body }),
    () => vault.getCertificateRevocationList({ ...at, id: absentId }),
    () => vault.listCertificates(absent),
    () => vault.listCertificateTemplates(absent),
    () => vault.createCertificate({ ...absent, body: web() }),
    () => vault.createCertificateTemplate({ ...absent, body: { name: next() } }),
  ])
    await expect(call()).rejects.toMatchObject(noAuthority)
  for (const id of [certificate, absentId])
    for (const call of [
      () => vault.getCertificate({ ...path, id }),
      () => vault.revokeCertificate({ ...path, id, body }),
    ])
      await expect(call()).rejects.toMatchObject({
        reason: 'CERTIFICATE_NOT_FOUND',
        code: 9_007_001,
        details: { resource: { type: 'vault.certificates', name: id } },
      })
  for (const id of [web_template, absentId])
    for (const call of [
      () => vault.getCertificateTemplate({ ...path, id }),
      () => vault.updateCertificateTemplate({ ...path, id, update_mask: 'description', body: {} }),
      () => vault.deleteCertificateTemplate({ ...path, id }),
    ])
      await expect(call()).rejects.toMatchObject({
        reason: 'TEMPLATE_NOT_FOUND',
        code: 9_008_001,
        details: { resource: { type: 'vault.certificateTemplates', name: id } },
      })
  for (const usage of ['CERT_SIGN', 'CRL_SIGN'] as const)
    await expect(template(top, next(), { key_usages: [`VAULT_KEY_USAGE_${usage}`] })).rejects.toMatchObject({
      reason: 'TEMPLATE_USAGE_NOT_ALLOWED',
      code: 9_008_003,
      details: { badRequest: [{ field: 'key_usages[0]' }] },
    })
})

/**
 * Creates an authority whose parent is revoked while the key is generated; returns the ended operation. A key of 4096 bits
 * may be found before the revocation, so the attempt is repeated.
 */
async function orphaned({ admin, at, ended, root }: TenantCertificates, name: string) {
  const { vault } = admin.api
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const parent = await root(`${name}-parent-${attempt}`)
    const below = {
      name: `${name}-${attempt}`,
      key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_RSA_PKCS1_4096_SHA256',
      type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_SUBORDINATE',
      subject: { common_name: 'Acme' },
      lifetime: '86400s',
      parent_certificate_authority_id: parent,
    } as const
    const ordered = await vault.createCertificateAuthority({ ...at, body: below })
    await vault.revokeCertificateAuthority({ ...at, id: parent, body })
    const operation = await ended(ordered)
    if (operation.status === 'VAULT_OPERATION_STATUS_ERROR') return { operation, name: below.name }
  }
  throw new Error('each of 20 keys was generated before the parent was revoked')
}

it('an authority whose parent is revoked before its key is generated fails, and returns its quota', async () => {
  const own = await tenantCertificates()
  const { admin, at, issue, platform, root } = own
  const { vault } = admin.api
  const { name, operation } = await orphaned(own, 'low')
  const { errors, resource_id: id } = operation
  expect(errors).toMatchObject([{ reason: 'CA_NOT_ENABLED', code: 9_006_003 }])
  const failed = 'VAULT_CERTIFICATE_AUTHORITY_STATE_FAILED'
  expect(await vault.getCertificateAuthority({ ...at, id })).toMatchObject({ state: failed, pem_certificate: '' })
  const notEnabled = { reason: 'CA_NOT_ENABLED', code: 9_006_003, metadata: { state: failed } }
  for (const call of [
    () => issue(id, web()),
    () => vault.getCertificateRevocationList({ ...at, id }),
    () => vault.revokeCertificateAuthority({ ...at, id, body }),
  ])
    await expect(call()).rejects.toMatchObject(notEnabled)
  expect((await platform.from('192.0.2.7')(`${baseUrl}/crl/${id}.crl`)).status).toBe(404)
  await expect(root(name)).rejects.toMatchObject({ reason: 'CA_ALREADY_EXISTS' })
  // The doctor compares the ledger of the quota with the authorities that count.
  expect(await doctorFindings(platform.config)).toEqual([])
}, 120_000)

it('the end of a certificate is announced 30, 7 and 1 days before, and then recorded', async () => {
  const { issue, platform, root } = tenant
  const top = await root(next())
  const id = await issue(top, { ...web(), lifetime: `${(40 * dayMs) / 1000}s` })
  const due = () => change(async tx => (await tx.get(agenda, `certificates.end/${id}`))?.value.due_time)
  const notices = async () =>
    (await recordedActivities(platform.config)).filter(
      ({ action, resource_id }) => action === 'vault.certificates.expiring' && resource_id === id,
    )
  const end = async () => (await change(tx => tx.get(certificateCollection, id)))?.value.not_after_time ?? ''
  expect(Date.parse((await due()) ?? '')).toBe(Date.parse(await end()) - 30 * dayMs)
  expect(await notices()).toEqual([])
  for (const [n, days, nextDays] of [
    [1, 30, 7],
    [2, 7, 1],
    [3, 1, 0],
  ] as const) {
    const not_after_time = new Date(Date.now() + days * dayMs - 1000).toISOString()
    await change(async tx => {
      await patch(tx, certificateCollection, id, { not_after_time })
      await patch(tx, agenda, `certificates.end/${id}`, { due_time: past })
    })
    await expect.poll(notices, { timeout: 30_000, interval: 200 }).toHaveLength(n)
    expect(Date.parse((await due()) ?? '')).toBe(Date.parse(not_after_time) - nextDays * dayMs)
  }
  await change(async tx => {
    await patch(tx, certificateCollection, id, { not_after_time: past })
    await patch(tx, agenda, `certificates.end/${id}`, { due_time: past })
  })
  const state = async () => (await change(tx => tx.get(certificateCollection, id)))?.value.state
  await expect.poll(state, { timeout: 30_000, interval: 200 }).toBe(certificateState('EXPIRED'))
  expect(await due()).toBeUndefined()
  expect(await notices()).toHaveLength(3)
}, 120_000)
