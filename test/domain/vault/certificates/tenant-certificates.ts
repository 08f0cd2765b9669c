import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type {
  CertificateAuthorityInput,
  CertificateInput,
  CertificateTemplateInput,
} from '../../../../output/vault/types.ts'
import type { Member } from '../../../areas/members.ts'
import type { TestPlatformOptions } from '../../../areas/test-platform.ts'
import { keyCalls, tenantKeys, type TenantKeys } from '../keys/tenant-keys.ts'

export { openssl } from '../keys/one-store/openssl.ts'

/** Ten years. */
const rootLife = '315360000s'

/** A platform with a workspace, and the calls of certificates in the workspace. */
export interface TenantCertificates extends TenantKeys {
  /** Creates a root with a path length of 1, waits until the root is ready, and returns its id. */
  root(name: string, more?: Partial<CertificateAuthorityInput>): Promise<string>
  /** Creates an authority below another, waits until the authority is ready, and returns its id. */
  below(parent: string, name: string, more?: Partial<CertificateAuthorityInput>): Promise<string>
  /** Creates a template of an authority and returns its id. */
  template(authority: string, name: string, more?: Partial<CertificateTemplateInput>): Promise<string>
  /** Issues a certificate and returns its id. */
  issue(authority: string, body: CertificateInput): Promise<string>
}

/** Starts a platform with a workspace. */
export async function tenantCertificates(options: TestPlatformOptions = {}): Promise<TenantCertificates> {
  const tenant = await tenantKeys(options)
  return { ...tenant, ...certificateCalls(tenant) }
}

/** Returns the calls of certificates in a workspace, by the administrator. */
export function certificateCalls({
  admin,
  at,
  workspace,
}: Pick<TenantKeys, 'at' | 'workspace'> & { readonly admin: Pick<Member, 'api'> }) {
  const { vault } = admin.api
  const { ended } = keyCalls(admin, workspace)
  const authority = async (body: CertificateAuthorityInput): Promise<string> =>
    (await ended(await vault.createCertificateAuthority({ ...at, body }))).resource_id
  const subject = (name: string) => ({ common_name: `Acme ${name}`, organization: 'Acme Ltd', country_code: 'DE' })
  return {
    root: (name: string, more: Partial<CertificateAuthorityInput> = {}) =>
      authority({
        name,
        type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_ROOT',
        subject: subject(name),
        lifetime: rootLife,
        ...more,
      }),
    below: (parent: string, name: string, more: Partial<CertificateAuthorityInput> = {}) =>
      authority({
        name,
        type: 'VAULT_CERTIFICATE_AUTHORITY_TYPE_SUBORDINATE',
        subject: subject(name),
        lifetime: '31536000s',
        parent_certificate_authority_id: parent,
        ...more,
      }),
    async template(certificate_authority: string, name: string, more: Partial<CertificateTemplateInput> = {}) {
      const path = { ...at, certificate_authority }
      return (await vault.createCertificateTemplate({ ...path, body: { name, ...more } })).resource_id
    },
    issue: async (certificate_authority: string, body: CertificateInput) =>
      (await vault.createCertificate({ ...at, certificate_authority, body })).resource_id,
  }
}

/** Runs `use` with a folder that is deleted after the test, and with a function that writes a file there. */
export function inFolder<R>(use: (write: (name: string, content: string) => string, folder: string) => R): R {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-certificates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return use((name, content) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }, folder)
}

/** The keys that the command `openssl` can make for signing requests, as arguments of `openssl req`. */
export const requestKeys = {
  'P-256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'P-521': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  Ed25519: ['-newkey', 'ed25519'],
  'RSA 2048': ['-newkey', 'rsa:2048'],
  'RSA-PSS signature': ['-newkey', 'rsa:2048', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'],
} as const

/** The output of a command, and its status. */
interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

/**
 * Runs the command `openssl`. A command that blocked this process for longer than the lease of a server on PostgreSQL
 * would make the server refuse the next calls, so the command runs beside it.
 */
export async function runOpenssl(args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  // A command that does not read its input may end before the write.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { stdout, stderr, status }
}

/** Returns the output of a command of `openssl` that must succeed. */
async function printed(args: readonly string[], input?: string): Promise<string> {
  const { status, stderr, stdout } = await runOpenssl(args, input)
  if (status !== 0) throw new Error(`openssl ${args[0]} ended with status ${status}: ${stderr}`)
  return stdout
}

/** Returns a signing request in PEM that the command `openssl` makes. */
export function opensslRequest(
  key: readonly string[],
  { names = '', subject = '/CN=web.acme.example' }: { readonly subject?: string; readonly names?: string } = {},
): Promise<string> {
  return inFolder((_write, folder) => {
    const named = names === '' ? [] : ['-addext', `subjectAltName=${names}`]
    return printed(['req', '-new', ...key, '-nodes', '-keyout', join(folder, 'key.pem'), '-subj', subject, ...named])
  })
}

/**
 * Returns the verdict of `openssl verify` on a leaf; `chain` are the certificates above, the issuer first and the root
 * last.
 */
export function opensslVerifies(leaf: string, chain: readonly string[]): Promise<string> {
  return inFolder(async write => {
    const root = write('root.pem', chain.at(-1) ?? '')
    const between = write('between.pem', chain.slice(0, -1).join(''))
    const untrusted = chain.length > 1 ? ['-untrusted', between] : []
    const strict = ['-x509_strict', '-purpose', 'sslserver']
    const args = ['verify', ...strict, '-CAfile', root, ...untrusted, write('leaf.pem', leaf)]
    const { stderr, stdout } = await runOpenssl(args)
    return `${stdout}${stderr}`.replaceAll(/\S*leaf\.pem/g, 'leaf.pem').trim()
  })
}

/**
 * Returns a root that the command `openssl` makes, and the certificate that the root signs for the request of an
 * authority. `basic` are the basic constraints of the root, and `more` are its other extensions.
 */
export function opensslAuthority(
  request: string,
  basic = 'critical,CA:TRUE',
  ...more: readonly string[]
): Promise<{ readonly root: string; readonly certificate: string }> {
  return inFolder(async (write, folder) => {
    const key = join(folder, 'root-key.pem')
    const config = ['-config', write('openssl.cnf', '[req]\ndistinguished_name = subject\n[subject]\n')]
    const usages = 'keyUsage=critical,keyCertSign,cRLSign'
    const extensions = [`basicConstraints=${basic}`, usages, 'subjectKeyIdentifier=hash', ...more].flatMap(e => [
      '-addext',
      e,
    ])
    const made = ['-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
    const root = await printed([
      'req',
      '-x509',
      ...made,
      '-subj',
      '/CN=Outside Root',
      '-days',
      '3650',
      ...config,
      ...extensions,
    ])
    const signer = ['-CA', write('root.pem', root), '-CAkey', key, '-days', '365', '-copy_extensions', 'copy']
    return { root, certificate: await printed(['x509', '-req', '-in', write('request.pem', request), ...signer]) }
  })
}

/** Returns the text of `openssl x509` for a certificate. */
export const opensslText = (pem: string): Promise<string> => printed(['x509', '-noout', '-text'], pem)
