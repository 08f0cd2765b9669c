import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { authorityCollection } from '../../../../domain/vault/certificates/authorities-store.ts'
import { certificateCollection } from '../../../../domain/vault/certificates/certificates-store.ts'
import { templateCollection } from '../../../../domain/vault/certificates/templates-store.ts'
import { materialCollection } from '../../../../domain/vault/keys/key-versions-store.ts'
import { agenda } from '../../../../domain/vault/work/agenda.ts'
import { isEnded } from '../../../../runtime/operations.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { doctorFindings } from '../../../areas/doctor.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { tenantSecrets } from '../tenant-secrets.ts'
import { certificateCalls, inFolder, tenantCertificates } from './tenant-certificates.ts'

const config = { subject: { common_name: 'www.acme.example' } }

/** Whether a command is on this machine. */
async function has(command: string, argument = '--version'): Promise<boolean> {
  const found = await promisify(execFile)(command, [argument]).then(
    () => true,
    () => false,
  )
  if (!found) console.warn(`${command} is not on the PATH: its judgement of a chain is skipped`)
  return found
}

it('the purge of a workspace deletes authorities with their keys, templates and certificates', async () => {
  const tenant = await tenantSecrets()
  const { admin, organisation, platform, workspace } = tenant
  const { taxonomy } = admin.api
  const { below, issue, root, template } = certificateCalls(tenant)
  const sub = await below(await root('root'), 'sub')
  await template(sub, 'web', { allowed_dns_names: ['*.acme.example'] })
  await issue(sub, { config, private_key_secret_name: 'key' })
  await taxonomy.archiveWorkspace({ organisation, id: workspace, body: {} })
  await expect(taxonomy.deleteWorkspace({ organisation, id: workspace })).rejects.toMatchObject({
    reason: 'WORKSPACE_NOT_EMPTY',
    details: {
      precondition: expect.arrayContaining([expect.objectContaining({ type: 'vault.certificateAuthorities' })]),
    },
  })
  const deleted = await taxonomy.deleteWorkspace({ organisation, id: workspace, force: true })
  await expect.poll(async () => isEnded(await taxonomy.getOperation(deleted)), { timeout: 30_000 }).toBe(true)
  expect(await taxonomy.getOperation(deleted)).toMatchObject({ errors: [], warnings: [] })
  const store = await openBeside(platform.config, storeCollections(areas))
  const where = { workspace_id: workspace }
  expect([
    await store.count(authorityCollection, where),
    await store.count(templateCollection, where),
    await store.count(certificateCollection, where),
    await store.count(materialCollection, where),
    await store.count(agenda, where),
  ]).toEqual([0, 0, 0, 0, 0])
  await store.close()
  expect(await doctorFindings(platform.config)).toEqual([])
})

it('a certificate expires by the clock, and lists filter by its state at that time', async () => {
  const { admin, at, issue, platform, root } = await tenantCertificates()
  const { vault } = admin.api
  const top = await root('root')
  const path = { ...at, certificate_authority: top }
  const old = await issue(top, { name: 'old', config, private_key_secret_name: 'old-key' })
  const live = await issue(top, { name: 'live', config, private_key_secret_name: 'live-key' })
  const store = await openBeside(platform.config, storeCollections(areas))
  await store.tx(async tx => {
    const row = await tx.lock(certificateCollection, old)
    if (!row) return
    await tx.update(
      certificateCollection,
      old,
      { ...row.value, not_after_time: '2026-01-01T00:00:00.000Z' },
      row.version,
    )
  })
  await store.close()
  expect(await vault.getCertificate({ ...path, id: old })).toMatchObject({ state: 'VAULT_CERTIFICATE_STATE_EXPIRED' })
  const listed = async (short: string): Promise<readonly string[]> => {
    const { certificates } = await vault.listCertificates({
      ...path,
      filter: `state = VAULT_CERTIFICATE_STATE_${short}`,
    })
    return certificates.map(({ id }) => id)
  }
  expect(await listed('EXPIRED')).toEqual([old])
  expect(await listed('ACTIVE')).toEqual([live])
  expect(await listed('REVOKED')).toEqual([])
})

it('gives a TLS server a chain that curl and Python accept', async () => {
  const { admin, at, below, issue, root } = await tenantCertificates()
  const { vault } = admin.api
  const sub = await below(await root('root'), 'sub')
  const id = await issue(sub, { config, private_key_secret_name: 'key' })
  const leaf = await vault.getCertificate({ ...at, certificate_authority: sub, id })
  const { payload } = await vault.getSecretVersion({ ...at, secret: leaf.private_key_secret_id, id: '1' })
  const cert = [leaf.pem_certificate, ...leaf.pem_certificate_chain.slice(0, -1)].join('')
  const server = createServer({ cert, key: Buffer.from(payload?.data ?? '', 'base64') }, (_, answer) =>
    answer.end('ok'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const [hasCurl, hasPython] = [await has('curl'), await has('python3')]
  await inFolder(async write => {
    const trusted = write('root.pem', leaf.pem_certificate_chain.at(-1) ?? '')
    const name = `www.acme.example:${port}`
    if (hasCurl) {
      const target = ['--connect-to', `${name}:127.0.0.1:${port}`, `https://${name}/`]
      const { stdout } = await promisify(execFile)('curl', ['-sS', '--max-time', '10', '--cacert', trusted, ...target])
      expect(stdout).toBe('ok')
    }
    if (hasPython) {
      const program = [
        'import socket, ssl, sys',
        'context = ssl.create_default_context(cafile=sys.argv[1])',
        'plain = socket.create_connection(("127.0.0.1", int(sys.argv[2])), 10)',
        'print(context.wrap_socket(plain, server_hostname="www.acme.example").version())',
      ].join('\n')
      const { stdout } = await promisify(execFile)('python3', ['-c', program, trusted, String(port)])
      expect(stdout).toMatch(/^TLSv1\.[23]/)
    }
  })
  server.closeAllConnections()
  server.close()
})
