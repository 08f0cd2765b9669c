import { X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import {
  openssl,
  opensslRequest,
  opensslText,
  opensslVerifies,
  requestKeys,
  tenantCertificates,
} from './tenant-certificates.ts'

it.runIf(openssl)('scenario 6: openssl accepts the chain from a root to a leaf from its own request', async () => {
  const { admin, at, below, issue, platform, root } = await tenantCertificates()
  const { vault } = admin.api
  const top = await root('root')
  const sub = await below(top, 'sub')
  const pem_csr = await opensslRequest(requestKeys['P-256'], { names: 'DNS:www.acme.example,IP:192.0.2.10' })
  const id = await issue(sub, { name: 'web', pem_csr })
  const leaf = await vault.getCertificate({ ...at, certificate_authority: sub, id })
  expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
  expect(leaf).toMatchObject({
    name: 'web',
    state: 'VAULT_CERTIFICATE_STATE_ACTIVE',
    common_name: 'web.acme.example',
    dns_names: ['www.acme.example', 'web.acme.example'],
    subject_alt_names: { ip_addresses: ['192.0.2.10'] },
    key_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
    private_key_secret_id: '',
    requested_by: admin.id,
  })
  const authority = await vault.getCertificateAuthority({ ...at, id: sub })
  expect(leaf.pem_certificate_chain).toEqual(authority.pem_certificate_chain)
  expect(leaf.authority_key_id).toBe(authority.subject_key_id)
  const read = new X509Certificate(leaf.pem_certificate)
  expect(read.serialNumber.toLowerCase()).toBe(leaf.serial_number)
  expect(leaf.serial_number).toMatch(/^[4-7][0-9a-f]{31}$/)
  expect(await opensslText(leaf.pem_certificate)).toContain(`/crl/${sub}.crl`)
  expect(Date.parse(leaf.not_after_time) - Date.parse(leaf.not_before_time)).toBe(2_592_000_000 + 60_000)
  await expect(below(sub, 'lower')).rejects.toMatchObject({ reason: 'PATH_LENGTH_EXCEEDED', code: 9_006_006 })
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('keeps the private key of a pair that the platform makes in a new secret, and in no answer', async () => {
  const { admin, at, issue, platform, root } = await tenantCertificates()
  const { vault } = admin.api
  const top = await root('root')
  const body = { name: 'web', private_key_secret_name: 'web-key', config: { subject: { common_name: 'web.example' } } }
  const leaf = await vault.getCertificate({ ...at, certificate_authority: top, id: await issue(top, body) })
  const { payload } = await vault.getSecretVersion({ ...at, secret: leaf.private_key_secret_id, id: '1' })
  const pem = Buffer.from(payload?.data ?? '', 'base64').toString()
  const { createPrivateKey } = await import('node:crypto')
  expect(new X509Certificate(leaf.pem_certificate).checkPrivateKey(createPrivateKey(pem))).toBe(true)
  expect(JSON.stringify(leaf)).not.toContain('PRIVATE')
  await expect(issue(top, { ...body, name: 'other' })).rejects.toMatchObject({ reason: 'SECRET_ALREADY_EXISTS' })
  await expect(vault.listCertificates({ ...at, certificate_authority: top })).resolves.toMatchObject({
    certificates: [{ id: leaf.id }],
  })
  expect(await doctorFindings(platform.config)).toEqual([])
})
