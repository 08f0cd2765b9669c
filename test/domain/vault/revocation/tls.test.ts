import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../server/store/harness.ts'
import { tenantCertificates } from '../certificates/tenant-certificates.ts'

const python = hasPython()

if (!python) console.warn('python3 is not on the PATH: its judgement of a revoked certificate is skipped')

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import ssl'])
    return true
  } catch {
    return false
  }
}

/** Connects to a port with the certificates and the revocation lists of the file, and prints the error or `accepted`. */
const program = `
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
try:
    with socket.create_connection(('127.0.0.1', int(sys.argv[2])), timeout=10) as plain:
        context.wrap_socket(plain, server_hostname='web.acme.example')
    print('accepted')
except ssl.SSLCertVerificationError as error:
    print(error.verify_message)
`

it('TLS of Node.js and of Python accepts a leaf, and refuses the leaf once the list names it', async () => {
  const { admin, at, issue, root } = await tenantCertificates()
  const { vault } = admin.api
  const authority = await root('root')
  const names = { config: { subject: { common_name: 'web.acme.example' } } }
  const id = await issue(authority, { name: 'web', private_key_secret_name: 'web-key', ...names })
  const leaf = await vault.getCertificate({ ...at, certificate_authority: authority, id })
  const { payload } = await vault.getSecretVersion({ ...at, secret: leaf.private_key_secret_id, id: '1' })
  const key = Buffer.from(payload?.data ?? '', 'base64')
  const server = createServer({ key, cert: leaf.pem_certificate }, socket => socket.end())
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const ca = leaf.pem_certificate_chain.at(-1) ?? ''
  const list = async () => (await vault.getCertificateRevocationList({ ...at, id: authority })).pem_crl
  const before = await list()
  await vault.revokeCertificate({
    ...at,
    certificate_authority: authority,
    id,
    body: { reason: 'VAULT_REVOCATION_REASON_KEY_COMPROMISE' },
  })
  const after = await list()
  expect(await nodeVerdict(port, ca, before)).toBe('accepted')
  expect(await nodeVerdict(port, ca, after)).toBe('CERT_REVOKED')
  if (!python) return
  expect(await pythonVerdict(port, ca, before)).toBe('accepted')
  expect(await pythonVerdict(port, ca, after)).toBe('certificate revoked')
})

async function nodeVerdict(port: number, ca: string, crl: string): Promise<string> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port, ca, crl, servername: 'web.acme.example' })
  try {
    await once(socket, 'secureConnect')
    return 'accepted'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    socket.destroy()
  }
}

async function pythonVerdict(port: number, ca: string, crl: string): Promise<string> {
  const trusted = join(testFolder(), 'trusted.pem')
  writeFileSync(trusted, ca + crl)
  const { stdout } = await promisify(execFile)('python3', ['-c', program, trusted, String(port)])
  return stdout.trim()
}
