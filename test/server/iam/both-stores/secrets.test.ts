import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { SignJWT } from 'jose'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { addAccountKey, createServiceAccount } from '../../../../domain/iam/service-accounts/account-keys.ts'
import { areas } from '../../../../server/areas.ts'
import type { Config } from '../../../../server/config.ts'
import { asHost } from '../../../../server/iam/host.ts'
import { storeFile } from '../../../../server/platform-store.ts'
import { pngOf } from '../../../domain/iam/pictures.ts'
import { administrator } from '../../access/sign-in.ts'
import { schemaOf } from '../../store/harness.ts'
import { addTenant, roleAt, type Tenant } from '../../../areas/members.ts'
import { baseUrl } from '../../../areas/open-platform.ts'
import { testPlatform, type TestPlatform } from '../../../areas/test-platform.ts'

/** The secrets that must not appear in any output; `texts` is keyed by the kind and the number of the secret. */
class Secrets {
  readonly texts = new Map<string, string>()

  /** Records a secret, and returns the secret; throws if the text has fewer than 10 characters. */
  keep(what: string, text: string | undefined): string {
    if (text === undefined || text.length < 10) throw new Error(`${what} is no secret`)
    this.texts.set(`${what} ${this.texts.size}`, text)
    return text
  }

  /**
   * Returns the kind and the number of each secret that a text contains, in any of its forms: as issued, without the
   * prefix, in base64 or in hexadecimal.
   */
  foundIn(haystack: string): readonly string[] {
    return [...this.texts].flatMap(([what, text]) =>
      formsOf(text).some(form => haystack.includes(form)) ? [what] : [],
    )
  }
}

function formsOf(text: string): readonly string[] {
  const last = text.split('.').at(-1) ?? text
  const bytes = Buffer.from(text)
  return [text, last, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]
}

/** Returns all data of a store as text: the files of its folder, or all rows of all tables. */
async function storedBy({ dataDir, storeUrl }: Config): Promise<string> {
  if (storeUrl === undefined) {
    const file = storeFile(dataDir)
    const files = readdirSync(dataDir).filter(name => join(dataDir, name).startsWith(file))
    expect(files.length).toBeGreaterThan(1)
    return files.map(name => readFileSync(join(dataDir, name), 'latin1')).join('\n')
  }
  const client = new Client({ connectionString: storeUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>({
      text: 'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = $1',
      values: [schemaOf(storeUrl)],
    })
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

/**
 * Takes an invited user through activation, sign-in, a password change and a reset, with some weak and wrong passwords,
 * and records all secrets.
 */
async function liveAsUser({ as, admin }: TestPlatform, secrets: Secrets, name: string, { workspace }: Tenant) {
  const { api: ada } = await admin()
  const email = `${name}@acme.example`
  const anonymous = as().iam
  const password = (words: string): string => secrets.keep('password', `${words} of ${name}`)
  const signedIn = async (words: string) => {
    const { access_token, refresh_token } = await anonymous.authenticate({ body: { email, password: words } })
    secrets.keep('access token', access_token)
    return { token: access_token, refresh: secrets.keep('refresh token', refresh_token) }
  }
  const grants = [roleAt('workspace-viewer', 'WORKSPACE', workspace)]
  const invited = await ada.iam.inviteUser({ body: { email, grants, delivery: 'RETURN' } })
  secrets.keep('credential token', invited.credential?.token)
  const { credential } = await ada.iam.regenerateActivation({ id: invited.resource_id, body: {} })
  const token = secrets.keep('credential token', credential?.token)
  await anonymous.lookupCredentialToken({ body: { token } })
  const weak = secrets.keep('password', `${name}-weakly`)
  await expect(anonymous.activateUser({ body: { token, password: weak } })).rejects.toMatchObject({
    reason: 'PASSWORD_TOO_WEAK',
  })
  await anonymous.activateUser({ body: { token, password: password('first sentence') } })
  await expect(signedIn(password('wrong sentence'))).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' })

  const first = await signedIn(`first sentence of ${name}`)
  const renewed = await anonymous.refreshToken({ body: { refresh_token: first.refresh } })
  secrets.keep('access token', renewed.access_token)
  secrets.keep('refresh token', renewed.refresh_token)
  const own = as(renewed.access_token).iam
  const data = pngOf({ width: 32, height: 32 }).toString('base64')
  await own.setMyAvatar({ body: { content_type: 'image/png', data } })
  const new_password = password('second sentence')
  const change = (current_password: string) => own.changeMyPassword({ body: { current_password, new_password } })
  await expect(change(password('mistaken sentence'))).rejects.toMatchObject({ reason: 'CURRENT_PASSWORD_MISMATCH' })
  await change(`first sentence of ${name}`)

  const reset = await ada.iam.resetUserPassword({ id: invited.resource_id, body: { delivery: 'RETURN' } })
  const resetToken = secrets.keep('credential token', reset.credential?.token)
  const body = { token: resetToken, password: password('third sentence') }
  await anonymous.completePasswordReset({ body })
  const last = await signedIn(`third sentence of ${name}`)
  const again = await anonymous.refreshToken({ body: { refresh_token: last.refresh } })
  secrets.keep('access token', again.access_token)
  secrets.keep('refresh token', again.refresh_token)
  await anonymous.revokeToken({ body: { token: last.refresh } })
}

const pem = (key: KeyObject, type: 'spki' | 'pkcs8'): string => key.export({ type, format: 'pem' }).toString()

/** Registers and uses a key of a service account, and uses single-use secrets twice. */
async function liveAsProgram({ as, config }: TestPlatform, secrets: Secrets, { workspace }: Tenant) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  for (const line of pem(privateKey, 'pkcs8').split('\n')) if (!/^-|^$/.test(line)) secrets.keep('private key', line)
  secrets.keep('private key', privateKey.export({ format: 'jwk' }).d)
  const account = await asHost(config, areas, parts => createServiceAccount(parts, { workspace, name: 'builder' }))
  const given = { publicKey: pem(publicKey, 'spki') }
  const kid = await asHost(config, areas, parts => addAccountKey(parts, account, given))
  const signed = (aud: string, jti: string): Promise<string> =>
    new SignJWT({ jti })
      .setProtectedHeader({ alg: 'EdDSA', kid })
      .setIssuer(account)
      .setSubject(account)
      .setAudience(aud)
      .setIssuedAt()
      .setExpirationTime('4m')
      .sign(privateKey)
  const assertion = secrets.keep('assertion', await signed(`${baseUrl}/iam/v1/tokens:refresh`, 'one'))
  const { access_token } = await as().iam.refreshToken({ body: { assertion } })
  secrets.keep('access token', access_token)
  await as(access_token).iam.listTokens({})
  const others = [assertion, secrets.keep('assertion', await signed('https://elsewhere.example', 'two'))]
  for (const each of others) {
    await expect(as().iam.refreshToken({ body: { assertion: each } })).rejects.toMatchObject({
      reason: 'ASSERTION_INVALID',
    })
  }
}

/** Sends requests that carry a secret in the wrong place, or that the server cannot parse. */
async function misplaced({ from }: TestPlatform, secrets: Secrets, token: string) {
  const words = secrets.keep('password', 'a sentence that went astray')
  const json = { 'content-type': 'application/json' }
  const call = (path: string, init: RequestInit) => from('192.0.2.8')(`${baseUrl}/iam/v1/${path}`, init)
  const answers = await Promise.all([
    call('users:authenticate', { method: 'POST', headers: json, body: `{"email":"a@b.example","password":"${words}"` }),
    call('users:authenticate', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ [words]: 1, passwort: words }),
    }),
    call('users:activate', { method: 'POST', headers: json, body: JSON.stringify({ token: words, password: 7 }) }),
    call(`users/me?access_token=${token}`, { headers: { authorization: `Bearer ${token}` } }),
    call(`users/${encodeURIComponent(words)}`, { headers: { authorization: `Bearer ${token.slice(1)}` } }),
    call(`users/me?password=${encodeURIComponent(words)}`, { headers: { authorization: `Basic ${btoa(words)}` } }),
    call('users/me', { headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'one', cookie: words } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 401, 401, 200])
}

it('stores and logs no used password, token, assertion or private key', async () => {
  const platform = await testPlatform()
  const { config, lines } = platform
  const secrets = new Secrets()
  secrets.keep('password', administrator.password)
  const ada = await platform.admin()
  secrets.keep('access token', ada.token)
  secrets.keep('refresh token', ada.refreshToken)
  const tenant = await addTenant(ada.api, 'acme')
  await Promise.all(['kim', 'lou', 'max'].map(name => liveAsUser(platform, secrets, name, tenant)))
  await liveAsProgram(platform, secrets, tenant)
  await misplaced(platform, secrets, ada.token)
  const theft = { body: { refresh_token: ada.refreshToken } }
  const { access_token, refresh_token = '' } = await platform.as().iam.refreshToken(theft)
  secrets.keep('access token', access_token)
  const next = await platform.as().iam.refreshToken({ body: { refresh_token: secrets.keep('refresh', refresh_token) } })
  const { operations } = await platform.as(next.access_token).iam.listOperations({ page_size: 200 })
  await expect(platform.as().iam.refreshToken(theft)).rejects.toMatchObject({ reason: 'REFRESH_TOKEN_INVALID' })

  const places = {
    store: await storedBy(config),
    log: lines.join('\n'),
    operations: inspect(operations, { depth: null, maxArrayLength: null, maxStringLength: null }),
  }
  // Public names from these calls prove that the search covers the data of these calls.
  expect(places.store).toContain('lou@acme.example')
  expect(places.store).toContain('REUSE_DETECTED')
  expect(places.store).toContain('ninefold_activity_outbox')
  expect(places.log).toContain('changeMyPassword')
  expect(places.operations).toContain('IAM_OPERATION_TYPE_COMPLETE_PASSWORD_RESET')
  expect(secrets.texts.size).toBeGreaterThan(60)
  for (const [place, text] of Object.entries(places)) expect([place, secrets.foundIn(text)]).toEqual([place, []])
})
