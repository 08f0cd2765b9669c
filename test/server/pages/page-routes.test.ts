import { beforeAll, describe, expect, it } from 'vitest'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import { addMember, roleAt } from '../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../areas/test-platform.ts'
import { callTo } from '../../conformance/in-process.ts'
import { afterTests } from '../../undo.ts'

const modules = ['dashboards', 'panel', 'panels', 'plot', 'query', 'scales', 'session', 'table', 'uplot']
const names = [...modules.map(name => `${name}.js`), 'dashboards.css', 'uplot.css']

/** The files of the dashboards, of which none may be shown to callers without the permission. */
const files = names.map(name => `/dashboards/${name}`)

let platform: TestPlatform
let call: ReturnType<typeof callTo>
/** The access tokens of callers. */
let tokens: Readonly<Record<'admin' | 'editor' | 'viewer' | 'stranger', string>>

beforeAll(async () => {
  platform = await testPlatform({ later: afterTests })
  call = callTo(platform.dispatch)
  const { api, token: admin } = await platform.admin()
  const add = async (name: string, grants: Parameters<typeof addMember>[2]['grants'] = []) =>
    (await addMember(platform, api, { email: `${name}@acme.example`, grants })).token
  tokens = {
    admin,
    editor: await add('editor', [roleAt('workspace-editor', 'WORKSPACE', platformWorkspaceId)]),
    viewer: await add('viewer', [roleAt('platform-viewer', 'PLATFORM', '')]),
    stranger: await add('stranger'),
  }
})

type Caller = keyof typeof tokens

const cookieOf = (token: string) => ({ cookie: `other=%zz; ninefold_session=${token}` })

const get = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  call({ method, target, headers })

/** Gets a page as the browser of a signed-in user does. */
const getAs = (caller: Caller, target: string) => get(target, cookieOf(tokens[caller]))

const reasonOf = (body: string): unknown => JSON.parse(body).details[0].reason

describe('an anonymous caller', () => {
  it('is led from the dashboards to the page for signing in, and sees nothing of them', async () => {
    const { body, headers, status } = await get('/dashboards')
    expect([status, headers['location'], headers['cache-control'], body]).toEqual([303, '/sign-in', 'no-store', ''])
  })

  it.each(files)('is refused %s', async file => {
    const { body, headers, status } = await get(file)
    expect([status, reasonOf(body)]).toEqual([401, 'TOKEN_MISSING'])
    expect(headers['www-authenticate']).toContain('Bearer')
  })

  it.each(['/', '/reference/iam', '/sign-in', '/sign-in/sign-in.js', '/sign-in/session.js', '/sign-in/pages.css'])(
    'finds no word of the dashboards at %s',
    async target => {
      const { body, status } = await get(target)
      expect(status).toBe(200)
      expect(body).not.toMatch(/dashboard/i)
      expect(body).not.toContain(platformWorkspaceId)
    },
  )

  it.each([
    ['a token that is none', 'nonsense'],
    ['a token of another issuer', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'],
    ['a token with a space', 'a b'],
    ['a very long token', 'a'.repeat(9000)],
  ])('stays anonymous with %s', async (_, token) => {
    expect((await get('/dashboards', cookieOf(token))).status).toBe(303)
    expect((await get('/dashboards/uplot.js', cookieOf(token))).status).toBe(401)
    expect((await get('/', cookieOf(token))).body).toContain('href="/sign-in"')
  })

  it('cannot keep a session', async () => {
    const { body, headers, status } = await get('/sign-in/session', {}, 'PUT')
    expect([status, reasonOf(body), headers['set-cookie']]).toEqual([401, 'TOKEN_MISSING', undefined])
  })
})

describe.each(['viewer', 'stranger'] as const)('a signed-in %s without the permission', caller => {
  it.each(['/dashboards', ...files])('is refused %s', async target => {
    const { body, status } = await getAs(caller, target)
    expect([status, reasonOf(body)]).toEqual([403, 'IAM_PERMISSION_DENIED'])
    expect(body).not.toContain('<')
  })

  it('finds no link to the dashboards', async () => {
    const { body } = await getAs(caller, '/')
    expect(body).not.toContain('/dashboards')
    expect(body).not.toContain('/sign-in')
  })

  it('may keep a session, which opens no page', async () => {
    const { body, status } = await get('/sign-in/session', { authorization: `Bearer ${tokens[caller]}` }, 'PUT')
    expect([status, JSON.parse(body)]).toEqual([200, { pages: [] }])
  })
})

it('records the refusal of a page as an activity', async () => {
  await getAs('stranger', '/dashboards')
  const { api } = await platform.admin()
  const query = { filter: 'action = "dashboardsPage" AND outcome = OBSERVABILITY_ACTIVITY_OUTCOME_DENIED' }
  const refusals = async () => (await api.observability.listActivities(query)).activities
  const refusal = { permission: 'observability.metrics.query', scope_id: platformWorkspaceId }
  await expect.poll(refusals).toContainEqual(expect.objectContaining(refusal))
})

describe.each(['admin', 'editor'] as const)('a signed-in %s with the permission', caller => {
  it('sees the page, by a cookie and by a header', async () => {
    const byCookie = await getAs(caller, '/dashboards')
    const byHeader = await get('/dashboards', { authorization: `Bearer ${tokens[caller]}` })
    expect([byCookie.status, byHeader.status]).toEqual([200, 200])
    const path = `/observability/v1/workspaces/${platformWorkspaceId}/engines/native/metrics:queryRange`
    expect(byCookie.body).toContain(`data-query="${path}"`)
    expect(byHeader.body).toBe(byCookie.body)
  })

  it('finds a link to the dashboards', async () => {
    expect((await getAs(caller, '/')).body).toContain('<a href="/dashboards">Dashboards</a>')
    expect((await getAs(caller, '/reference/iam')).body).toContain('<a href="/dashboards">Dashboards</a>')
  })

  it('keeps a session in a cookie that scripts cannot read', async () => {
    const headers = { authorization: `Bearer ${tokens[caller]}` }
    const kept = await get('/sign-in/session', headers, 'PUT')
    expect(JSON.parse(kept.body)).toEqual({ pages: [{ path: '/dashboards', title: 'Dashboards' }] })
    expect(kept.headers['set-cookie']).toBe(`ninefold_session=${tokens[caller]}; Path=/; HttpOnly; SameSite=Lax`)
    expect(kept.headers['cache-control']).toBe('no-store')
  })
})

it('removes the cookie of a session', async () => {
  const { body, headers, status } = await get('/sign-in/session', {}, 'DELETE')
  expect([status, body]).toEqual([204, ''])
  expect(headers['set-cookie']).toContain('ninefold_session=; ')
  expect(headers['set-cookie']).toContain('Max-Age=0')
})

it('closes the pages when the session ends, although the cookie stays', async () => {
  const { api } = await platform.admin()
  const grants = [roleAt('workspace-editor', 'WORKSPACE', platformWorkspaceId)]
  const kim = await addMember(platform, api, { email: 'kim@acme.example', grants })
  expect((await get('/dashboards', cookieOf(kim.token))).status).toBe(200)
  await kim.api.iam.revokeToken({ body: { token: kim.refreshToken } })
  expect((await get('/dashboards', cookieOf(kim.token))).status).toBe(303)
  expect((await get('/dashboards/uplot.js', cookieOf(kim.token))).status).toBe(401)
})

describe('the cookie', () => {
  it('opens no call of the API', async () => {
    const target = `/observability/v1/workspaces/${platformWorkspaceId}/engines/native/metrics/descriptors`
    const { body, status } = await getAs('admin', target)
    expect([status, reasonOf(body)]).toEqual([401, 'TOKEN_MISSING'])
  })

  it('keeps no session for another token', async () => {
    expect((await get('/sign-in/session', cookieOf(tokens.admin), 'PUT')).status).toBe(401)
  })
})

describe('the pages', () => {
  it.each(['/dashboards', '/sign-in'])('of %s run no script and no style but their own files', async target => {
    const { body, headers } = await getAs('admin', target)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; ")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:|blob:/)
    expect(body).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]* src="\/)|javascript:/)
    const urls = [...body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url = '']) => url)
    for (const url of urls) expect([url, (await getAs('admin', url)).status]).toEqual([url, 200])
  })

  it.each(files)('have the file %s, which a browser gets again only when it has changed', async file => {
    const first = await getAs('admin', file)
    expect(first.status).toBe(200)
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    const { etag = '' } = first.headers
    const same = await get(file, { ...cookieOf(tokens.admin), 'if-none-match': `"other", ${etag}` })
    expect([same.status, same.body, same.headers['etag']]).toEqual([304, '', etag])
    const other = await get(file, { ...cookieOf(tokens.admin), 'if-none-match': '"other"' })
    expect([other.status, other.body]).toEqual([200, first.body])
  })

  it('import only their own files', async () => {
    for (const file of files.filter(name => name.endsWith('.js') && !name.endsWith('uplot.js'))) {
      const { body } = await getAs('admin', file)
      const imported = [...body.matchAll(/from ['"]([^'"]+)['"]/g)].map(([, name = '']) => name)
      for (const name of imported) expect(files).toContain(name.replace('./', '/dashboards/'))
    }
  })

  it.each([
    ['GET', '/dashboards?x=1', 400],
    ['GET', '/dashboards?%3Cscript%3E=%00', 400],
    ['GET', '/dashboards?token=e.y.J&__proto__=1', 400],
    ['GET', '/dashboards/uplot.js?v=1', 400],
    ['GET', '/sign-in?next=//evil.example', 400],
    ['GET', '/dashboards/', 404],
    ['GET', '/dashboards/absent.js', 404],
    ['GET', '/dashboards/__proto__', 404],
    ['GET', '/dashboards/..%2Fpage-files.ts', 404],
    ['GET', '/dashboards/%2e%2e/page-files.ts', 404],
    ['GET', '/sign-in/dashboards.js', 404],
    ['POST', '/dashboards', 405],
    ['DELETE', '/dashboards/uplot.js', 405],
    ['POST', '/sign-in', 405],
    ['POST', '/sign-in/session', 405],
  ])('answer %s %s with an error of the API', async (method, target, status) => {
    const answer = await get(target, cookieOf(tokens.admin), method)
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/json'])
    expect(answer.body).not.toContain('<!doctype')
  })

  it.each(['/dashboards', '/dashboards/uplot.js'])('answer HEAD of %s without a body', async target => {
    const { body, status } = await get(target, cookieOf(tokens.admin), 'HEAD')
    expect([status, body]).toEqual([200, ''])
  })
})
