import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { page } from '../../../server/reference/page.ts'
import { callTo } from '../../conformance/in-process.ts'
import { composePlatform, type ComposedPlatform } from '../../conformance/platform.ts'

const names = areas.map(({ domain }) => domain.name)

let platform: ComposedPlatform
beforeAll(async () => void (platform = await composePlatform()))
afterAll(async () => platform.close())

const call = (target: string, method = 'GET') => callTo(platform.dispatch)({ method, target, headers: {} })

describe('the reference', () => {
  it.each(['/', ...names.map(name => `/reference/${name}`)])('has a public page at %s', async target => {
    const { status, headers, body } = await call(target)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const name of names) expect(body).toContain(`href="/reference/${name}"`)
  })

  it('may load and send nothing beyond its own origin', async () => {
    const { headers } = await call('/')
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; ")
    expect(policy).not.toMatch(/\*|https?:|unsafe-eval|script-src[^;]*unsafe-inline/)
  })

  it('has a document for each area, made once', async () => {
    const first = await call('/reference/taxonomy.json')
    expect(first.status).toBe(200)
    expect(JSON.parse(first.body)).toMatchObject({ openapi: '3.0.3' })
    expect((await call('/reference/taxonomy.json')).body).toBe(first.body)
  })

  it('leaves the documents of /openapi unchanged', async () => {
    expect((await call('/openapi/taxonomy.json')).body).not.toContain('**Access:**')
  })

  it('has its own script, which names no image of another host', async () => {
    const { status, headers, body } = await call('/reference/redoc.js')
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(body).not.toContain('cdn.redoc.ly')
  })

  it.each([
    ['/', 'POST', 405],
    ['/reference', 'GET', 404],
    ['/reference/nowhere', 'GET', 404],
    ['/index.html', 'GET', 404],
  ])('leaves the errors of %s to %s to the API', async (target, method, status) => {
    const answer = await call(target, method)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({ details: [{ reason: 'ROUTE_NOT_FOUND' }] })
  })
})

describe('a page without its package', () => {
  it('names the missing package and the place of the documents', () => {
    const text = page('iam', ['iam', 'vault'], [], false)
    expect(text).toContain('npm install redoc')
    expect(text).toContain('href="/openapi/vault.json"')
    expect(text).not.toContain('<script')
  })
})
