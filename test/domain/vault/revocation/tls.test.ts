import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../server/store/harness.ts'
import { tenantCertificates } from '../certificates/tenant-certificates.ts'

const python = runs('python3', '-c', 'import ssl')
const curl = runs('curl', '--version')

if (!python) console.warn('python3 is not on the PATH: its judgement of a revoked certificate is skipped')

if (!curl) console.warn('curl is not on the PATH: its judgement of a revoked certificate is skipped')

/** Whether a program is on this machine and succeeds. */
function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
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

it('TLS of Node.js, curl and Python accepts a leaf, and refuses the leaf once the list names it', async () => {
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
  if (curl) {
    expect(await curlVerdict(port, ca, before)).not.toContain('revoked')
    expect(await curlVerdict(port, ca, after)).toContain('certificate revoked')
  }
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

/** Returns the message of curl; the server ends each connection without an answer. */
async function curlVerdict(port: number, ca: string, crl: string): Promise<string> {
  const folder = testFolder()
  const [trusted, list] = [join(folder, 'root.pem'), join(folder, 'list.pem')]
  writeFileSync(trusted, ca)
  writeFileSync(list, crl)
  const to = ['--connect-to', `web.acme.example:443:127.0.0.1:${port}`, 'https://web.acme.example/']
  const args = ['-sS', '--max-time', '10', '--cacert', trusted, '--crlfile', list, ...to]
  return new Promise(resolve => execFile('curl', args, (_error, _stdout, stderr) => resolve(stderr)))
}
