import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SessionFile } from '../../cli/session-file.ts'
import { testFolder } from '../server/store/harness.ts'
import { activationToken, apiServer, email, operationId, password } from './api-server.ts'
import { ninefold } from './command.ts'

/** Starts a server and signs in; returns both with the settings folder of the session. */
async function signedIn() {
  const server = await apiServer()
  const folder = testFolder()
  const login = await ninefold(folder, ['login', '--url', server.url, '--email', email], `${password}\n`)
  return { ...server, folder, login, file: new SessionFile(join(folder, 'ninefold')) }
}

test('login stores the tokens for this user alone and prints none of them, and logout deletes them', async () => {
  const { file, folder, login, newest, seen, url } = await signedIn()
  expect(login).toEqual({ code: 0, out: '', err: `signed in to ${url} as ${email}\n` })
  expect(await file.read()).toMatchObject({ base_url: url, tokens: { refresh_token: newest() } })
  expect(readFileSync(file.path, 'utf8')).not.toContain(password)
  if (process.platform !== 'win32') {
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'ninefold')).mode & 0o777).toBe(0o700)
  }
  expect(await ninefold(folder, ['logout'])).toMatchObject({ code: 0, err: `signed out of ${url}\n` })
  expect(seen.revoked).toEqual([newest()])
  expect(await file.read()).toBeUndefined()
})

test('a wrong password is refused with a remedy, and no token is stored', async () => {
  const { url } = await apiServer()
  const folder = testFolder()
  const ended = await ninefold(folder, ['login', '--url', url, '--email', email], 'wrong password 123\n')
  expect(ended.code).toBe(1)
  expect(ended.err).toMatch(/address or password is wrong\n {2}reason: INVALID_CREDENTIALS[^]*ninefold activate/)
  expect(ended.err).not.toContain('wrong password 123')
  expect(await new SessionFile(join(folder, 'ninefold')).read()).toBeUndefined()
})

test('activate sets the first password with the token of a file, and signs in', async () => {
  const { seen, url } = await apiServer()
  const folder = testFolder()
  writeFileSync(join(folder, 'token'), `${activationToken}\n`)
  const ended = await ninefold(folder, ['activate', '--url', url, '--token-file', 'token'], `${password}\n`)
  expect(ended).toEqual({ code: 0, out: '', err: `signed in to ${url} as ${email}\n` })
  expect(seen.activated).toEqual([{ token: activationToken, password }])
})

test('api prints tables and JSON, of one page, of a number of rows, or of all rows', async () => {
  const { folder } = await signedIn()
  const json = await ninefold(folder, ['api', 'iam.listUsers', 'page_size=2'])
  expect(JSON.parse(json.out)).toMatchObject({ users: [{ id: 'user-000' }, { id: 'user-001' }] })
  const all = await ninefold(folder, ['api', 'iam.listUsers', '--all'])
  expect(JSON.parse(all.out)).toHaveLength(130)
  const table = await ninefold(folder, ['api', 'iam.listUsers', '--limit', '3', '--output', 'table'])
  const [head, ...rows] = table.out.trimEnd().split('\n')
  expect(head).toMatch(/^ID +DISPLAY_NAME +EMAIL +STATUS +CREATED$/)
  expect(rows).toHaveLength(3)
  expect(rows[0]).toContain(String.raw`red \u001b[31m alert`)
  expect(table.err).toBe('there are more than 3 rows\n')
})

test('api makes a body of arguments by the declared types, and waits with progress', async () => {
  const { folder, seen } = await signedIn()
  const words = ['name=auditors', 'scope_type=PLATFORM', 'scope_id=', 'permissions=iam.users.get', 'display_name=7']
  const ended = await ninefold(folder, ['api', 'iam.createRole', ...words, '--wait'])
  expect(ended.err).toBe(
    `${operationId}: IAM_OPERATION_STATUS_PENDING, 0 %\n` +
      `${operationId}: IAM_OPERATION_STATUS_RUNNING, 50 %\n` +
      `${operationId}: IAM_OPERATION_STATUS_DONE, 100 %\n`,
  )
  expect(JSON.parse(ended.out)).toMatchObject({ id: operationId, status: 'IAM_OPERATION_STATUS_DONE' })
  expect(ended.code).toBe(0)
  expect(seen.bodies).toMatchObject([
    { name: 'auditors', scope_id: '', permissions: ['iam.users.get'], display_name: '7' },
  ])
})

test('the exit status of api distinguishes a refusal, a missing response and wrong usage', async () => {
  const { folder } = await signedIn()
  const refused = await ninefold(folder, ['api', 'getRole', 'id=nobody'])
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^error: there is no role "nobody"\n {2}reason: ROLE_NOT_FOUND \(NOT_FOUND\)\n/)
  const failed = await ninefold(folder, ['api', 'iam.deleteRole', 'id=somebody', '--wait'])
  expect(failed).toMatchObject({ code: 1, out: '' })
  expect(failed.err).toContain('error: somebody holds it\n  reason: ROLE_IN_USE\n')
  const usage = await ninefold(folder, ['api', 'getRol', 'id=x'])
  expect(usage).toMatchObject({ code: 2, out: '' })
  expect(usage.err).toContain('did you mean "getRole"?')
  expect(await ninefold(folder, ['api', '--limit', 'many'])).toMatchObject({ code: 2 })
  const broken = await ninefold(folder, ['api', 'iam.createRole', '--body', '-'], '{"name": "r",\n secret}')
  expect(broken).toMatchObject({ code: 2, out: '' })
  expect(broken.err).toBe(
    'error: standard input must hold JSON: expected double-quoted property name at line 2, column 2\n',
  )
  const nobody = await ninefold(folder, ['api', 'iam.listUsers', '--url', 'http://127.0.0.1:1'])
  expect(nobody).toMatchObject({ code: 3, out: '' })
  expect(nobody.err).toContain('check that the server runs')
})

test('tokens are sent to the server that issued them, and to no other', async () => {
  const { folder } = await signedIn()
  const other = await apiServer()
  const ended = await ninefold(folder, ['api', 'iam.listUsers', '--url', other.url])
  expect(ended).toMatchObject({ code: 1, out: '' })
  expect(ended.err).toContain('ninefold login')
  expect(other.seen.authorizations).toEqual([undefined])
})

test('two concurrent commands that find the token expired use one refresh token once', async () => {
  const { expireAll, file, folder, newest, seen } = await signedIn()
  expireAll()
  const words = ['api', 'iam.listUsers', 'page_size=1']
  const ended = await Promise.all([ninefold(folder, words), ninefold(folder, words)])
  expect(ended.map(({ code }) => code)).toEqual([0, 0])
  expect(seen.refreshes).toBe(1)
  expect(await file.read()).toMatchObject({ tokens: { refresh_token: newest() } })
})

test('completion prints the commands, the operations and the options', async () => {
  const { code, out } = await ninefold(testFolder(), ['completion', 'bash'])
  expect(code).toBe(0)
  expect(out).toMatch(/ api .*\n[^]*--body --all[^]* createVm .* iam\.listOperations .*complete -o default/s)
})
