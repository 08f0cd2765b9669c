import { describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { testPlatform } from '../../../areas/test-platform.ts'
import {
  inFolder,
  openssl,
  opensslRequest,
  requestKeys,
  runOpenssl,
  tenantCertificates,
  type TenantCertificates,
} from '../certificates/tenant-certificates.ts'

const absent = '01900000-0000-7000-8000-0000000000ff'

const keyCompromise = 'VAULT_REVOCATION_REASON_KEY_COMPROMISE' as const

/** The body of a certificate whose key the platform makes. */
const made = (name: string) => ({
  name,
  private_key_secret_name: `${name}-key`,
  config: { subject: { common_name: `${name}.acme.example` } },
})

/** Fetches a path of the platform without a token. */
const fetched = (
  { platform }: Pick<TenantCertificates, 'platform'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> => platform.from('192.0.2.7')(`${baseUrl}${path}`, init)

/** Returns the id of the organisation of the workspace. */
async function organisationOf({ admin }: TenantCertificates): Promise<string> {
  const { organisations } = await admin.api.taxonomy.listOrganisations({ filter: 'name = acme' })
  return organisations[0]?.id ?? ''
}

/** Returns the verdict of `openssl verify` on a leaf, with the revocation list of its issuer. */
const verdict = (leaf: string, chain: readonly string[], list: string): Promise<string> =>
  inFolder(async write => {
    const root = write('root.pem', chain.at(-1) ?? '')
    const between = write('between.pem', chain.slice(0, -1).join(''))
    const files = ['-CAfile', root, '-untrusted', between, '-CRLfile', write('list.pem', list)]
    const { stderr, stdout } = await runOpenssl(['verify', '-crl_check', ...files, write('leaf.pem', leaf)])
    return `${stdout}${stderr}`
  })

const printed = async (list: string): Promise<string> => (await runOpenssl(['crl', '-noout', '-text'], list)).stdout

describe.runIf(openssl)('scenario 6: openssl', () => {
  it('refuses a revoked leaf, and prints its serial number, its reason and a greater number', async () => {
    const tenant = await tenantCertificates()
    const { admin, at, below, issue, platform, root } = tenant
    const { vault } = admin.api
    const sub = await below(await root('root'), 'sub')
    const id = await issue(sub, { name: 'web', pem_csr: await opensslRequest(requestKeys['P-256']) })
    const leaf = await vault.getCertificate({ ...at, certificate_authority: sub, id })
    const { pem_certificate, pem_certificate_chain: chain } = leaf
    const before = await vault.getCertificateRevocationList({ ...at, id: sub })
    expect(await verdict(pem_certificate, chain, before.pem_crl)).toContain('leaf.pem: OK')
    await vault.revokeCertificate({ ...at, certificate_authority: sub, id, body: { reason: keyCompromise } })
    const after = await vault.getCertificateRevocationList({ ...at, id: sub })
    expect(await verdict(pem_certificate, chain, after.pem_crl)).toContain(
      'error 23 at 0 depth lookup: certificate revoked',
    )
    const text = await printed(after.pem_crl)
    expect(text).toContain(leaf.serial_number.toUpperCase())
    expect(text).toContain('Key Compromise')
    expect(BigInt(after.crl_number)).toBeGreaterThan(BigInt(before.crl_number))
    // OpenSSL 3.0 prints the number in decimal digits, and later versions in hex.
    const hex = `0x0${BigInt(after.crl_number).toString(16).toUpperCase()}`
    expect([after.crl_number, hex]).toContain(/CRL Number:\s*(\w+)/.exec(text)?.[1])
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('a revocation of a certificate', () => {
  it('is final, is in the list of the authority at once, and keeps the etag', async () => {
    const { admin, at, issue, platform, root } = await tenantCertificates()
    const { vault } = admin.api
    const authority = await root('root')
    const path = { ...at, certificate_authority: authority, id: await issue(authority, made('web')) }
    const { etag, serial_number } = await vault.getCertificate(path)
    const operation = await vault.revokeCertificate({ ...path, body: { reason: keyCompromise } })
    expect(operation).toMatchObject({
      operation_type: 'VAULT_OPERATION_TYPE_REVOKE',
      resource_type: 'vault.certificates',
      resource_id: path.id,
      status: 'VAULT_OPERATION_STATUS_DONE',
    })
    expect(await vault.getCertificate(path)).toMatchObject({
      state: 'VAULT_CERTIFICATE_STATE_REVOKED',
      etag,
      revocation: { reason: keyCompromise },
    })
    const list = await vault.getCertificateRevocationList({ ...at, id: authority })
    expect(list).toMatchObject({
      certificate_authority_id: authority,
      revoked_count: 1,
      signature_algorithm: 'VAULT_CRYPTO_KEY_ALGORITHM_EC_P256_SHA256',
    })
    expect(Buffer.from(list.der_crl, 'base64').toString('hex')).toContain(serial_number)
    expect(list.pem_crl).toMatch(/^-----BEGIN X509 CRL-----\n(?:[\w+/=]{1,64}\n)+-----END X509 CRL-----\n$/)
    expect(list.pem_crl.replaceAll(/-----[^-]+-----|\n/g, '')).toBe(list.der_crl)
    expect((await vault.getCertificateAuthority({ ...at, id: authority })).crl_number).toBe(list.crl_number)
    await expect(vault.revokeCertificate({ ...path, body: { reason: keyCompromise } })).rejects.toMatchObject({
      reason: 'CERTIFICATE_ALREADY_REVOKED',
      code: 9_007_002,
      details: { resource: { type: 'vault.certificates', name: path.id }, precondition: [{ type: 'STATE' }] },
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('is repeated with an Idempotency-Key without a second revocation', async () => {
    const { admin, at, issue, root } = await tenantCertificates()
    const { vault } = admin.api
    const authority = await root('root')
    const id = await issue(authority, made('web'))
    const request = {
      ...at,
      certificate_authority: authority,
      id,
      'Idempotency-Key': 'k',
      body: { reason: keyCompromise },
    }
    const first = await vault.revokeCertificate(request)
    expect(await vault.revokeCertificate(request)).toEqual(first)
  })

  it('happens once among concurrent calls', async () => {
    const { admin, at, issue, platform, root } = await tenantCertificates()
    const { vault } = admin.api
    const authority = await root('root')
    const path = { ...at, certificate_authority: authority, id: await issue(authority, made('web')) }
    const calls = Array.from({ length: 6 }, () => vault.revokeCertificate({ ...path, body: { reason: keyCompromise } }))
    const results = await Promise.allSettled(calls)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'CERTIFICATE_ALREADY_REVOKED' })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('is refused for another etag, an absent certificate and an absent authority', async () => {
    const { admin, at, issue, root } = await tenantCertificates()
    const { vault } = admin.api
    const [authority, other] = [await root('root'), await root('other')]
    const path = { ...at, certificate_authority: authority, id: await issue(authority, made('web')) }
    const body = { reason: keyCompromise } as const
    await expect(vault.revokeCertificate({ ...path, body: { ...body, etag: 'x' } })).rejects.toMatchObject({
      reason: 'ETAG_MISMATCH',
    })
    await expect(vault.revokeCertificate({ ...path, certificate_authority: other, body })).rejects.toMatchObject({
      reason: 'CERTIFICATE_NOT_FOUND',
    })
    await expect(vault.revokeCertificate({ ...path, id: absent, body })).rejects.toMatchObject({
      reason: 'CERTIFICATE_NOT_FOUND',
    })
    await expect(vault.revokeCertificate({ ...path, certificate_authority: absent, body })).rejects.toMatchObject({
      reason: 'CA_NOT_FOUND',
    })
  })

  it('works in a suspended workspace, whose list is served and signed', async () => {
    const tenant = await tenantCertificates()
    const { admin, at, issue, root, workspace } = tenant
    const { taxonomy, vault } = admin.api
    const authority = await root('root')
    const path = { ...at, certificate_authority: authority, id: await issue(authority, made('web')) }
    const organisation = await organisationOf(tenant)
    await taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
    await vault.revokeCertificate({ ...path, body: { reason: keyCompromise } })
    expect(await vault.getCertificateRevocationList({ ...at, id: authority })).toMatchObject({ revoked_count: 1 })
    expect((await fetched(tenant, `/crl/${authority}.crl`)).status).toBe(200)
  })
})

describe('a sealed server', () => {
  it('revokes, and answers the last lists', async () => {
    const first = await tenantCertificates()
    const { at, issue, root } = first
    const [signed, unsigned] = [await root('signed'), await root('unsigned')]
    const id = await issue(signed, made('web'))
    const before = await first.admin.api.vault.getCertificateRevocationList({ ...at, id: signed })
    await first.platform.close()
    const platform = await testPlatform({ config: { ...first.platform.config, isDev: false } })
    const { vault } = (await platform.admin()).api
    await vault.revokeCertificate({ ...at, certificate_authority: signed, id, body: { reason: keyCompromise } })
    expect(await vault.getCertificateRevocationList({ ...at, id: signed })).toEqual(before)
    expect((await fetched({ platform }, `/crl/${signed}.crl`)).status).toBe(200)
    await vault.revokeCertificateAuthority({ ...at, id: unsigned, body: { reason: keyCompromise } })
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('a revocation of an authority', () => {
  it('puts it on the list of its parent, and keeps its own list and revocations alive', async () => {
    const { admin, at, below, issue, platform, root } = await tenantCertificates()
    const { vault } = admin.api
    const parent = await root('root')
    const id = await below(parent, 'sub')
    const leaf = await issue(id, made('web'))
    const body = { reason: 'VAULT_REVOCATION_REASON_CESSATION_OF_OPERATION' } as const
    const { etag, serial_number } = await vault.getCertificateAuthority({ ...at, id })
    await expect(vault.revokeCertificateAuthority({ ...at, id, body: { ...body, etag: 'x' } })).rejects.toMatchObject({
      reason: 'ETAG_MISMATCH',
    })
    await vault.revokeCertificateAuthority({ ...at, id, body: { ...body, etag } })
    expect(await vault.getCertificateAuthority({ ...at, id })).toMatchObject({
      state: 'VAULT_CERTIFICATE_AUTHORITY_STATE_REVOKED',
      etag,
      revocation: { reason: body.reason },
    })
    const { der_crl } = await vault.getCertificateRevocationList({ ...at, id: parent })
    expect(Buffer.from(der_crl, 'base64').toString('hex')).toContain(serial_number)
    await expect(issue(id, made('late'))).rejects.toMatchObject({ reason: 'CA_NOT_ENABLED' })
    await vault.revokeCertificate({ ...at, certificate_authority: id, id: leaf, body: { reason: keyCompromise } })
    expect(await vault.getCertificateRevocationList({ ...at, id })).toMatchObject({ revoked_count: 1 })
    await expect(vault.revokeCertificateAuthority({ ...at, id, body })).rejects.toMatchObject({
      reason: 'CA_NOT_ENABLED',
      code: 9_006_003,
      metadata: { state: 'VAULT_CERTIFICATE_AUTHORITY_STATE_REVOKED' },
      details: { resource: { type: 'vault.certificateAuthorities', name: id }, precondition: [{ type: 'STATE' }] },
    })
    await expect(vault.revokeCertificateAuthority({ ...at, id: absent, body })).rejects.toMatchObject({
      reason: 'CA_NOT_FOUND',
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('ends an authority that waits for its certificate, which has no list', async () => {
    const tenant = await tenantCertificates()
    const { admin, at, below, platform } = tenant
    const { vault } = admin.api
    const id = await below('', 'sub')
    const wanted = { reason: 'CA_NOT_ENABLED' }
    await expect(vault.getCertificateRevocationList({ ...at, id })).rejects.toMatchObject(wanted)
    await vault.revokeCertificateAuthority({ ...at, id, body: { reason: keyCompromise } })
    await expect(vault.getCertificateRevocationList({ ...at, id })).rejects.toMatchObject(wanted)
    expect((await fetched(tenant, `/crl/${id}.crl`)).status).toBe(404)
    expect(await doctorFindings(platform.config)).toEqual([])
  })

  it('lets the version of its crypto key be destroyed, which then signs no due list', async () => {
    const { admin, at, create, issue, platform, root } = await tenantCertificates()
    const { vault } = admin.api
    const crypto_key_id = await create('signing', 'EC_P256_SHA256')
    const id = await root('root', { crypto_key_id })
    const leaf = await issue(id, made('web'))
    await vault.rotateCryptoKey({ ...at, id: crypto_key_id, body: {} })
    const version = { ...at, cryptokey: crypto_key_id, id: '1', body: {} }
    await expect(vault.destroyCryptoKeyVersion(version)).rejects.toMatchObject({ reason: 'CRYPTO_KEY_IN_USE' })
    await vault.revokeCertificateAuthority({ ...at, id, body: { reason: keyCompromise } })
    const list = await vault.getCertificateRevocationList({ ...at, id })
    await vault.destroyCryptoKeyVersion(version)
    expect(await vault.getCertificateRevocationList({ ...at, id })).toEqual(list)
    await vault.revokeCertificate({ ...at, certificate_authority: id, id: leaf, body: { reason: keyCompromise } })
    await expect(vault.getCertificateRevocationList({ ...at, id })).rejects.toMatchObject({
      reason: 'KEY_VERSION_DESTROYED',
    })
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})

describe('the public list', () => {
  it('is the list in DER, with the headers of a cache', async () => {
    const tenant = await tenantCertificates()
    const { admin, at, root } = tenant
    const id = await root('root')
    const response = await fetched(tenant, `/crl/${id}.crl`)
    const list = await admin.api.vault.getCertificateRevocationList({ ...at, id })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pkix-crl',
      'cache-control': 'public, max-age=300',
      etag: `"${list.crl_number}"`,
      'last-modified': new Date(list.this_update_time).toUTCString(),
    })
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(list.der_crl)
  })

  it('answers conditional requests and HEAD', async () => {
    const tenant = await tenantCertificates()
    const path = `/crl/${await tenant.root('root')}.crl`
    const first = await fetched(tenant, path)
    const [tag, date] = [first.headers.get('etag') ?? '', first.headers.get('last-modified') ?? '']
    const status = async (headers: Record<string, string>) => (await fetched(tenant, path, { headers })).status
    expect(await status({ 'if-none-match': tag })).toBe(304)
    expect(await status({ 'if-none-match': `"x", W/${tag}` })).toBe(304)
    expect(await status({ 'if-none-match': '*' })).toBe(304)
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': date })).toBe(200)
    expect(await status({ 'if-modified-since': date })).toBe(304)
    expect(await status({ 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).toBe(200)
    expect(await status({ 'if-modified-since': 'no date' })).toBe(200)
    const head = await fetched(tenant, path, { method: 'HEAD' })
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, ''])
  })

  it.each([
    ['an unknown authority', `/crl/${absent}.crl`, 404, 'CA_NOT_FOUND'],
    ['another word', '/crl/x.crl', 404, 'CA_NOT_FOUND'],
    ['an encoded path', '/crl/..%2f..%2fetc%2fpasswd.crl', 404, 'CA_NOT_FOUND'],
    ['a quote', "/crl/'%20OR%201=1--.crl", 404, 'CA_NOT_FOUND'],
    ['a zero byte', '/crl/%00.crl', 400, 'FIELD_INVALID'],
    ['a long name', `/crl/${'a'.repeat(8000)}.crl`, 404, 'CA_NOT_FOUND'],
    ['no name', '/crl/.crl', 404, 'ROUTE_NOT_FOUND'],
    ['another suffix', `/crl/${absent}.pem`, 404, 'ROUTE_NOT_FOUND'],
    ['the prefix alone', '/crl', 404, 'ROUTE_NOT_FOUND'],
  ])('is refused for %s', async (_, path, status, reason) => {
    const tenant = await tenantCertificates()
    const response = await fetched(tenant, path)
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { details: expect.arrayContaining([expect.objectContaining({ reason, domain: 'vault' })]) },
    ])
  })

  it('is not changed by other methods', async () => {
    const tenant = await tenantCertificates()
    const path = `/crl/${await tenant.root('root')}.crl`
    const response = await fetched(tenant, path, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it('ends with its workspace', async () => {
    const tenant = await tenantCertificates()
    const { admin, platform, root, workspace } = tenant
    const { taxonomy } = admin.api
    const path = `/crl/${await root('root')}.crl`
    expect((await fetched(tenant, path)).status).toBe(200)
    const organisation = await organisationOf(tenant)
    await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
    const operation = await taxonomy.deleteWorkspace({
      organisation,
      id: workspace,
      force: true,
    })
    await expect
      .poll(async () => (await taxonomy.getOperation({ id: operation.id })).status, { timeout: 20_000 })
      .toBe('TAXONOMY_OPERATION_STATUS_DONE')
    expect((await fetched(tenant, path)).status).toBe(404)
    expect(await doctorFindings(platform.config)).toEqual([])
  })
})
