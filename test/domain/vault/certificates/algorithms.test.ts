import { createServer, connect } from 'node:tls'
import { once } from 'node:events'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { keyCalls, tenantKeys } from '../keys/tenant-keys.ts'
import { patient } from '../patient.ts'
import {
  certificateCalls,
  openssl,
  opensslAuthority,
  opensslRequest,
  opensslVerifies,
  requestKeys,
  type TenantCertificates,
} from './tenant-certificates.ts'
import { afterTests } from '../../../undo.ts'

/** The algorithms of the keys of authorities. */
const algorithms = [
  'EC_P256_SHA256',
  'EC_P384_SHA384',
  'ED25519',
  'RSA_PKCS1_3072_SHA256',
  'RSA_PKCS1_4096_SHA256',
  'RSA_PSS_3072_SHA256',
] as const

let tenant: TenantCertificates
let waits = 0

beforeAll(async () => {
  const made = await tenantKeys({ later: afterTests })
  const { platform, workspace } = made
  const admin = patient(platform, made.admin)
  tenant = { ...made, admin, ...keyCalls(admin, workspace), ...certificateCalls({ ...made, admin }) }
})

const prefixed = (short: (typeof algorithms)[number]) => `VAULT_CRYPTO_KEY_ALGORITHM_${short}` as const

describe.runIf(openssl).each(algorithms)('an authority of %s', short => {
  test('signs an authority and a leaf that openssl accepts', async () => {
    const { admin, at, below, issue, root } = tenant
    const key_algorithm = prefixed(short)
    const name = short.toLowerCase().replaceAll('_', '-')
    const top = await root(`root-${name}`, { key_algorithm })
    const sub = await below(top, `sub-${name}`, { key_algorithm })
    const config = { subject_alt_names: { dns_names: ['www.acme.example'], ip_addresses: ['192.0.2.1'] } }
    const id = await issue(sub, { config, private_key_secret_name: `key-${name}` })
    const leaf = await admin.api.vault.getCertificate({ ...at, certificate_authority: sub, id })
    expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
  }, 60_000)

  test('signs with a version of a crypto key, which then signs nothing else', async () => {
    const { admin, at, create, issue, root } = tenant
    const { vault } = admin.api
    const name = `pinned-${short.toLowerCase().replaceAll('_', '-')}`
    const crypto_key_id = await create(name, short)
    const top = await root(name, { crypto_key_id })
    const id = await issue(top, { config: { subject: { common_name: 'a.example' } }, private_key_secret_name: name })
    const leaf = await vault.getCertificate({ ...at, certificate_authority: top, id })
    expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
    const inUse = { reason: 'CRYPTO_KEY_IN_USE', code: 9_003_003 }
    await expect(vault.sign({ ...at, id: crypto_key_id, body: { data: 'aGVsbG8=' } })).rejects.toMatchObject(inUse)
    await expect(root(`${name}-2`, { crypto_key_id })).rejects.toMatchObject(inUse)
    await expect(vault.deleteCryptoKey({ ...at, id: crypto_key_id })).rejects.toMatchObject(inUse)
  }, 60_000)
})

test.runIf(openssl).each(Object.entries(requestKeys))(
  'a request of %s becomes a certificate that openssl accepts',
  async (kind, args) => {
    const { admin, at, issue, root } = tenant
    const top = await root(`for-${kind.toLowerCase().replaceAll(' ', '-')}`)
    const names = 'DNS:*.acme.example,IP:2001:db8::1,URI:spiffe://acme.example/web,email:web@acme.example'
    const id = await issue(top, { pem_csr: await opensslRequest(args, { names }) })
    const leaf = await admin.api.vault.getCertificate({ ...at, certificate_authority: top, id })
    expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
    expect(leaf.subject_alt_names).toEqual({
      dns_names: ['*.acme.example', 'web.acme.example'],
      ip_addresses: ['2001:db8::1'],
      uris: ['spiffe://acme.example/web'],
      email_addresses: ['web@acme.example'],
    })
  },
)

it('gives a chain that the TLS of Node.js accepts', async () => {
  const { admin, at, below, issue, root } = tenant
  const { vault } = admin.api
  const sub = await below(await root('tls-root'), 'tls-sub')
  const config = { subject: { common_name: 'localhost.acme.example' } }
  const id = await issue(sub, { config, private_key_secret_name: 'tls-key' })
  const leaf = await vault.getCertificate({ ...at, certificate_authority: sub, id })
  const secret = await vault.getSecretVersion({ ...at, secret: leaf.private_key_secret_id, id: '1' })
  const cert = [leaf.pem_certificate, ...leaf.pem_certificate_chain].join('')
  const server = createServer({ cert, key: Buffer.from(secret.payload?.data ?? '', 'base64') }, socket => socket.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const ca = leaf.pem_certificate_chain.at(-1) ?? ''
  const socket = connect({ port, host: '127.0.0.1', ca, servername: 'localhost.acme.example' })
  await once(socket, 'secureConnect')
  expect(socket.authorized).toBe(true)
  socket.destroy()
  server.close()
})

it.runIf(openssl)('activates an authority whose request openssl has signed, and refuses other chains', async () => {
  const { admin, at, below, issue, platform, root } = tenant
  const { vault } = admin.api
  const waiting = await below('', 'waiting')
  const before = await vault.getCertificateAuthority({ ...at, id: waiting })
  expect(before).toMatchObject({ state: 'VAULT_CERTIFICATE_AUTHORITY_STATE_AWAITING_ACTIVATION', pem_certificate: '' })
  const config = { subject: { common_name: 'web.acme.example' } }
  await expect(issue(waiting, { config, private_key_secret_name: 'none' })).rejects.toMatchObject({
    reason: 'CA_NOT_ENABLED',
    metadata: { state: 'VAULT_CERTIFICATE_AUTHORITY_STATE_AWAITING_ACTIVATION' },
  })
  const outside = await opensslAuthority(before.pem_csr)
  const other = await vault.getCertificateAuthority({ ...at, id: await root('other-root') })
  const activate = (...pem_certificate_chain: string[]) =>
    vault.createCertificateAuthority({
      ...at,
      body: { activation: { certificate_authority_id: waiting, pem_certificate_chain } },
    })
  const invalid = { reason: 'ACTIVATION_CHAIN_INVALID', code: 9_006_005 }
  for (const chain of [
    [other.pem_certificate],
    [outside.certificate],
    [outside.certificate, other.pem_certificate],
    [outside.root, outside.certificate],
    [outside.certificate, outside.root, outside.root.slice(1)],
  ])
    await expect(activate(...chain)).rejects.toMatchObject(invalid)
  expect(await activate(outside.certificate, outside.root)).toMatchObject({
    operation_type: 'VAULT_OPERATION_TYPE_ACTIVATE',
    resource_id: waiting,
  })
  await expect(activate(outside.certificate, outside.root)).rejects.toMatchObject({
    reason: 'CA_NOT_AWAITING_ACTIVATION',
    code: 9_006_004,
  })
  const id = await issue(waiting, { config, private_key_secret_name: 'activated' })
  const leaf = await vault.getCertificate({ ...at, certificate_authority: waiting, id })
  expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
  expect(await doctorFindings(platform.config)).toEqual([])
})

describe.runIf(openssl)('the path length of a root from elsewhere', () => {
  it.each([
    ['no path length', 'critical,CA:TRUE', 1, true],
    ['the path length 0', 'critical,CA:TRUE,pathlen:0', 0, false],
    ['the path length 1', 'critical,CA:TRUE,pathlen:1', 0, true],
    ['the path length 1', 'critical,CA:TRUE,pathlen:1', 1, false],
    ['the path length 2', 'critical,CA:TRUE,pathlen:2', 1, true],
  ])('%s (%s) above an authority of the path length %i: activated %s', async (_name, basic, below, isActivated) => {
    const { admin, at } = tenant
    const { vault } = admin.api
    const waiting = await tenant.below('', `waiting-${(waits += 1)}`, { max_path_length: below })
    const outside = await opensslAuthority((await vault.getCertificateAuthority({ ...at, id: waiting })).pem_csr, basic)
    const pem_certificate_chain = [outside.certificate, outside.root]
    const activation = { certificate_authority_id: waiting, pem_certificate_chain }
    const call = vault.createCertificateAuthority({ ...at, body: { activation } })
    if (!isActivated) return expect(call).rejects.toMatchObject({ reason: 'ACTIVATION_CHAIN_INVALID' })
    await call
    const config = { subject: { common_name: 'web.acme.example' } }
    const id = await tenant.issue(waiting, { config, private_key_secret_name: `waited-${waits}` })
    const leaf = await vault.getCertificate({ ...at, certificate_authority: waiting, id })
    expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
  })
})

it.runIf(openssl)('refuses a chain with a critical extension that clients do not know', async () => {
  const { admin, at, below } = tenant
  const waiting = await below('', 'waiting-critical')
  const { pem_csr } = await admin.api.vault.getCertificateAuthority({ ...at, id: waiting })
  const activate = async (...more: string[]) => {
    const { certificate, root } = await opensslAuthority(pem_csr, undefined, ...more)
    const activation = { certificate_authority_id: waiting, pem_certificate_chain: [certificate, root] }
    return admin.api.vault.createCertificateAuthority({ ...at, body: { activation } })
  }
  await expect(activate('1.2.3.4=critical,ASN1:UTF8String:x')).rejects.toMatchObject({
    reason: 'ACTIVATION_CHAIN_INVALID',
    details: { badRequest: [{ field: 'activation.pem_certificate_chain[1]' }] },
  })
  await activate('1.2.3.4=ASN1:UTF8String:x', 'nameConstraints=critical,permitted;DNS:acme.example')
})

describe.runIf(openssl)('an address in the common name below constraints of DNS names', () => {
  const ip = { common_name: '10.0.0.1' }
  it.each([
    ['is refused alone', { subject: ip }, false],
    ['is refused beside itself', { subject: ip, subject_alt_names: { ip_addresses: ['10.0.0.1'] } }, false],
    ['is issued beside another name', { subject: ip, subject_alt_names: { dns_names: ['a.acme.example'] } }, true],
    ['is issued as an alternative name', { subject_alt_names: { ip_addresses: ['10.0.0.1'] } }, true],
  ])('%s', async (name, config, isIssued) => {
    const { admin, at, below, issue, root } = tenant
    const top = await root(`root ${name}`.replaceAll(' ', '-'))
    const constraints = { name_constraints: { permitted_dns_names: ['acme.example'] } }
    const certificate_authority = await below(top, name.replaceAll(' ', '-'), constraints)
    const call = issue(certificate_authority, { config, private_key_secret_name: `key-${name}`.replaceAll(' ', '-') })
    if (!isIssued) return expect(call).rejects.toMatchObject({ reason: 'NAME_NOT_ALLOWED' })
    const id = await call
    const leaf = await admin.api.vault.getCertificate({ ...at, certificate_authority, id })
    expect(await opensslVerifies(leaf.pem_certificate, leaf.pem_certificate_chain)).toBe('leaf.pem: OK')
  })
})
