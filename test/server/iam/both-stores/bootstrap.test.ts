import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { passwords } from '../../../../domain/iam/collections/users-store.ts'
import { Ninefold } from '../../../../output/client.ts'
import { areas } from '../../../../server/areas.ts'
import type { Config } from '../../../../server/config.ts'
import { bootstrap } from '../../../../server/iam/bootstrap.ts'
import { openIam } from '../../../../server/iam/open.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { baseUrl, openPlatform } from '../../../areas/open-platform.ts'
import { administrator, administratorFile } from '../../access/sign-in.ts'
import { testFolder, testStoreUrl } from '../../store/harness.ts'
import { openBeside } from '../../store/left-place.ts'

const password = 'quiet-harbour-lantern'

async function emptyPlace(): Promise<Config> {
  return {
    baseUrl,
    dataDir: testFolder(),
    http: { host: '127.0.0.1', port: 0, isPortOpen: false },
    ...(await testStoreUrl()),
  }
}

/**
 * Opens a platform as `ninefold serve` composes it; the end of the running test closes the platform, unless the test
 * has closed it before. Returns the platform with its log and clients.
 */
async function started(config: Config) {
  const lines: string[] = []
  const line = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: line, info: line, warn: line, error: line }
  const platform = await openPlatform({ config, areas, openAccess: openIam, log })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await platform.close()
  }
  onTestFinished(close)
  const as = (token?: string) => new Ninefold(platform.transport(token))
  return {
    as,
    close,
    lines,
    signIn: platform.signIn,
    /** Signs a user in and returns a client for this user. */
    async signedIn(email: string, words: string) {
      return as((await as().iam.authenticate({ body: { email, password: words } })).access_token)
    },
  }
}

const tokenFile = ({ dataDir }: Config): string => join(dataDir, 'bootstrap-token')
const tokenIn = (config: Config): string => readFileSync(tokenFile(config), 'utf8').trim()

it('writes the token of the first administrator to a file that is deleted after its use', async () => {
  const config = await emptyPlace()
  const first = await started(config)
  expect(first.signIn(baseUrl).join()).toContain(tokenFile(config))
  if (process.platform !== 'win32') expect(statSync(tokenFile(config)).mode & 0o777).toBe(0o600)
  const earlier = tokenIn(config)
  expect([...first.signIn(baseUrl), ...first.lines].join()).not.toContain(earlier)
  await first.close()
  const second = await started(config)
  const token = tokenIn(config)
  expect(token).not.toBe(earlier)
  const activate = (each: string) => second.as().iam.activateUser({ body: { token: each, password } })
  await expect(activate(earlier)).rejects.toMatchObject({ reason: 'CREDENTIAL_TOKEN_INVALID' })
  await activate(token)
  expect(existsSync(tokenFile(config))).toBe(false)
  const admin = await second.signedIn('admin@localhost', password)
  expect(await admin.iam.getMyProfile({})).toMatchObject({ email: 'admin@localhost', status: 'ACTIVE' })
  await admin.taxonomy.createOrganisation({ body: { name: 'acme' } })
  await second.close()
  const third = await started(config)
  expect(third.signIn(baseUrl).join()).not.toContain('bootstrap-token')
  expect(existsSync(tokenFile(config))).toBe(false)
})

it('needs no token with a password in a file, which must be acceptable', async () => {
  const config = await emptyPlace()
  const adminPasswordFile = join(config.dataDir, 'weak')
  writeFileSync(adminPasswordFile, 'weak\n')
  await expect(started({ ...config, bootstrap: { adminPasswordFile } })).rejects.toThrow(
    'must have 12 to 128 characters',
  )
  const missing = { adminPasswordFile: join(config.dataDir, 'missing') }
  await expect(started({ ...config, bootstrap: missing })).rejects.toThrow('admin_password_file cannot be read')
  const { signedIn } = await started({ ...config, bootstrap: { adminPasswordFile: administratorFile(config.dataDir) } })
  expect(existsSync(tokenFile(config))).toBe(false)
  const admin = await signedIn(administrator.email, administrator.password)
  expect((await admin.iam.listUsers({})).users).toHaveLength(1)
})

it('creates no administrator if no address is set', async () => {
  const config = await emptyPlace()
  const { signIn } = await started({ ...config, bootstrap: { adminEmail: '' } })
  expect(signIn(baseUrl)).toEqual([expect.stringContaining(`login --url ${baseUrl}`)])
  expect(existsSync(tokenFile(config))).toBe(false)
})

it('lets a user of the host create an administrator while a server runs', async () => {
  const config = await emptyPlace()
  const { as, signedIn } = await started({ ...config, bootstrap: { adminEmail: '' } })
  const printed: string[] = []
  await bootstrap({ config, areas, email: 'Kim@acme.example', print: line => printed.push(line) })
  const token = printed.find(line => line.startsWith('ct1.')) ?? ''
  expect(printed[0]).toMatch(/^Kim@acme\.example administers the platform once the password is set \(user /)
  expect(printed.filter(line => line.includes(token))).toHaveLength(2)
  expect(printed.join('\n')).toContain(`${baseUrl}/credential#${token}`)
  await as().iam.activateUser({ body: { token, password } })
  const kim = await signedIn('kim@acme.example', password)
  await kim.taxonomy.createOrganisation({ body: { name: 'acme' } })
  const { operations } = await kim.iam.listOperations({ filter: 'operation_type = IAM_OPERATION_TYPE_GRANT' })
  expect(operations.map(({ principal_id }) => principal_id)).toEqual(['00000000-0000-7000-8000-000000000001'])
  const again: string[] = []
  await bootstrap({ config, areas, email: 'kim@acme.example', print: line => again.push(line) })
  expect(again[0]).toMatch(/administers the platform from now on, by the password of before until another is set/)
  await signedIn('kim@acme.example', password)
  await expect(bootstrap({ config, areas, email: 'kim', print: () => {} })).rejects.toThrow(
    '--email must be an address',
  )
})

it.each([
  ['base_url', { baseUrl: 'https://base.test' }, /^page: https:\/\/base\.test\/credential#ct1\./],
  [
    'console_url',
    { consoleUrl: 'https://console.test', baseUrl: undefined },
    /^page: https:\/\/console\.test\/credential#ct1\./,
  ],
  [
    'neither',
    { baseUrl: undefined },
    /^by: npx node ninefold\.ts activate --url <where the server listens> --token-file/,
  ],
])('names the page of a token by the settings: %s', async (_, given, expected) => {
  const config = { ...(await emptyPlace()), ...given }
  await (await started({ ...config, bootstrap: { adminEmail: '' } })).close()
  const printed: string[] = []
  await bootstrap({ config, areas, email: 'kim@acme.example', print: line => printed.push(line) })
  expect(printed.at(-1)).toMatch(expected)
  expect(printed.join()).not.toContain(':0/')
})

it('leads an invited user from the invitation to the first session', async () => {
  const config = await emptyPlace()
  const bootstrapped = { adminPasswordFile: administratorFile(config.dataDir) }
  const { as, signedIn } = await started({ ...config, bootstrap: bootstrapped })
  const ada = await signedIn(administrator.email, administrator.password)
  const organisation = (await ada.taxonomy.createOrganisation({ body: { name: 'acme' } })).resource_id
  const workspace = (await ada.taxonomy.createWorkspace({ organisation, body: { name: 'web' } })).resource_id
  const invitation = (email: string, grants: readonly object[]) =>
    ({ email, organisation_id: organisation, grants }) as Parameters<typeof ada.iam.inviteUser>[0]['body']
  const make = async (by: typeof ada, email: string, grants: readonly object[]) => {
    const { credential } = await by.iam.inviteUser({ body: invitation(email, grants) })
    await as().iam.activateUser({ body: { token: credential?.token ?? '', password } })
    return signedIn(email, password)
  }
  const atOrganisation = { scope_type: 'ORGANISATION', scope_id: organisation, role_id: 'organisation-admin' }
  const oz = await make(ada, 'oz@acme.example', [atOrganisation])

  const viewer = { scope_type: 'WORKSPACE', scope_id: workspace, role_id: 'workspace-viewer' }
  const body = invitation('x@y.example', [viewer])
  const operation = await oz.iam.inviteUser({ body })
  const token = operation.credential?.token ?? ''
  expect(token).toMatch(/^ct1\./)
  await expect(signedIn('x@y.example', password)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' })
  expect(await as().iam.lookupCredentialToken({ body: { token } })).toMatchObject({ purpose: 'ACTIVATION' })
  const activate = (words: string) => as().iam.activateUser({ body: { token, password: words } })
  await expect(activate('elevenchars')).rejects.toMatchObject({ reason: 'PASSWORD_TOO_WEAK', rpc: 'INVALID_ARGUMENT' })
  expect(await activate('twelve-chars')).toMatchObject({ status: 'IAM_OPERATION_STATUS_DONE' })
  await expect(activate('twelve-chars')).rejects.toMatchObject({ reason: 'CREDENTIAL_TOKEN_INVALID', rpc: 'NOT_FOUND' })
  expect(await oz.iam.getOperation({ id: operation.id })).not.toHaveProperty('credential')

  const x = await signedIn('x@y.example', 'twelve-chars')
  const tested = ['taxonomy.workspaces.get', 'taxonomy.workspaces.update']
  const scope = { scope_type: 'WORKSPACE', scope_id: workspace } as const
  expect(await x.iam.testMyPermissions({ ...scope, body: { permissions: tested } })).toMatchObject({
    permissions: ['taxonomy.workspaces.get'],
  })
  // An administrator cannot grant more permissions than its own, and cannot take over a principal that has more.
  const platformAdmin = { scope_type: 'PLATFORM', scope_id: '', role_id: 'platform-admin' }
  await expect(oz.iam.inviteUser({ body: invitation('z@y.example', [platformAdmin]) })).rejects.toMatchObject({
    reason: 'IAM_PERMISSION_DENIED',
  })
  const { credential, resource_id: promoted } = await oz.iam.inviteUser({ body: invitation('p@y.example', []) })
  await ada.iam.createBinding({
    body: { principal_id: promoted, scope_type: 'PLATFORM', scope_id: '', role_id: 'platform-admin' },
  })
  const stolen = { token: credential?.token ?? '', password }
  await expect(as().iam.activateUser({ body: stolen })).rejects.toMatchObject({ reason: 'CREDENTIAL_TOKEN_INVALID' })
  await expect(oz.iam.regenerateActivation({ id: promoted, body: {} })).rejects.toMatchObject({
    reason: 'ESCALATION_DENIED',
  })
  const address = { id: promoted, update_mask: 'email', body: { email: 'oz2@acme.example' } }
  await expect(oz.iam.updateUser(address)).rejects.toMatchObject({ reason: 'ESCALATION_DENIED' })

  // A deactivation revokes the sessions of the user immediately.
  const { id } = await x.iam.getMyProfile({})
  await oz.iam.deactivateUser({ id, body: {} })
  await expect(x.iam.getMyProfile({})).rejects.toMatchObject({ reason: 'TOKEN_REVOKED' })
})

it('hashes passwords at full cost whenever a platform is served', async () => {
  const config = { ...(await emptyPlace()), bootstrap: { adminPasswordFile: administratorFile(testFolder()) } }
  const { close, signedIn } = await started(config)
  const admin = await signedIn(administrator.email, administrator.password)
  const { id } = await admin.iam.getMyProfile({})
  await close()
  const store = await openBeside(config, storeCollections(areas))
  onTestFinished(() => store.close())
  expect((await store.get(passwords, id))?.value.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
