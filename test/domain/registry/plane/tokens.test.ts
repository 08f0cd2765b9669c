import { X509Certificate } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { faultOf, OciClient } from '../oci-client.ts'
import { sharedRegistry } from './shared-registry.ts'

const registry = sharedRegistry()

const challengeOf = ({ headers }: { readonly headers: Headers }): string => headers.get('www-authenticate') ?? ''

describe('a call without a token', () => {
  it.each([
    ['GET', '', ''],
    ['GET', 'acme/web/first/manifests/v1', ',scope="repository:acme/web/first:pull"'],
    ['PUT', 'acme/web/first/manifests/v1', ',scope="repository:acme/web/first:pull,push"'],
    ['DELETE', 'acme/web/first/manifests/v1', ',scope="repository:acme/web/first:delete"'],
    ['POST', 'acme/web/first/blobs/uploads/', ',scope="repository:acme/web/first:pull,push"'],
    [
      'POST',
      'acme/web/first/blobs/uploads/?mount=sha256:0&from=acme/web/other',
      ',scope="repository:acme/web/first:pull,push repository:acme/web/other:pull"',
    ],
    ['GET', 'Not/A/Name/manifests/v1', ''],
  ])('%s /v2/%s is asked for one', async (method, path, scope) => {
    const { oci, url } = registry()
    const answer = await oci.send(`/v2/${path}`, { method, token: '' })
    expect(faultOf(answer)).toBe('401 UNAUTHORIZED')
    expect(challengeOf(answer)).toBe(`Bearer realm="${url}/v2/_token",service="${new URL(url).host}"${scope}`)
    expect(answer.headers.get('docker-distribution-api-version')).toBe('registry/2.0')
  })
})

describe('a token', () => {
  it('is a JWT of ES256 with the certificate of its key, and grants what was asked and is allowed', async () => {
    const { oci, url } = registry()
    const token = await oci.token(
      'repository:acme/web/first:pull,push,delete,fly',
      'repository(plugin):acme/web/no:pull',
    )
    const { alg, kid, x5c = [] } = decodeProtectedHeader(token)
    expect([alg, typeof kid, x5c.length]).toEqual(['ES256', 'string', 1])
    const { publicKey } = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'))
    await jwtVerify(token, publicKey, { issuer: url, audience: new URL(url).host })
    const { access, exp = 0, iat = 0 } = decodeJwt(token)
    expect(exp - iat).toBe(300)
    expect(access).toEqual([
      { type: 'repository', name: 'acme/web/first', actions: ['pull', 'push', 'delete'] },
      // A caller who may pull in the workspace may learn that there is no such repository.
      { type: 'repository', name: 'acme/web/no', actions: ['pull'] },
    ])
  })

  it.each(['repository:acme/web/first', 'registry:catalog:*', 'repository:nobody/here/x:pull', 'x', ''])(
    'for the scope "%s" grants nothing, and is no error',
    async scope => {
      expect(decodeJwt(await registry().oci.token(scope))['access']).toEqual([])
    },
  )

  it('of fewer actions, of another repository, of another kind or altered does not suffice', async () => {
    const { accessToken, oci } = registry()
    await registry().repository('second')
    const post = (token: string) => oci.send('/v2/acme/web/first/blobs/uploads/', { method: 'POST', token })
    const narrow = await post(await oci.token('repository:acme/web/first:pull'))
    expect(faultOf(narrow)).toBe('401 UNAUTHORIZED')
    expect(challengeOf(narrow)).toContain('error="insufficient_scope"')
    expect(faultOf(await post(await oci.token('repository:acme/web/second:pull,push')))).toBe('401 UNAUTHORIZED')
    const whole = await oci.token('repository:acme/web/first:pull,push')
    expect((await post(whole)).status).toBe(202)
    for (const token of [accessToken, `${whole.slice(0, -2)}AA`, 'x']) {
      const answer = await post(token)
      expect(faultOf(answer)).toBe('401 UNAUTHORIZED')
      expect(challengeOf(answer)).toContain('error="invalid_token"')
    }
  })

  it('is given for OAuth 2.0 forms too, and refused for a wrong password', async () => {
    const { accessToken, url } = registry()
    const ask = (form: Record<string, string>) =>
      fetch(`${url}/v2/_token`, { method: 'POST', body: new URLSearchParams(form) })
    const scope = 'repository:acme/web/first:pull'
    for (const form of [
      { grant_type: 'password', username: 'any', password: accessToken, scope },
      { grant_type: 'refresh_token', refresh_token: accessToken, scope },
    ]) {
      const answer: unknown = await (await ask(form)).json()
      expect(answer).toMatchObject({ expires_in: 300, issued_at: expect.any(String) })
      expect(decodeJwt(String(Reflect.get(Object(answer), 'access_token')))['access']).toHaveLength(1)
    }
    expect((await ask({ grant_type: 'password', username: 'any', password: 'wrong' })).status).toBe(401)
    expect((await ask({ grant_type: 'code' })).status).toBe(400)
    for (const authorization of ['Basic !', 'Basic eA==', `Basic ${btoa('token:wrong')}`, 'Bearer x'])
      expect((await fetch(`${url}/v2/_token`, { headers: { authorization } })).status).toBe(401)
  })
})

describe('an anonymous caller', () => {
  it('gets a token without rights, and the same answer for a repository that exists and for others', async () => {
    const { url } = registry()
    const anonymous = new OciClient(url)
    const answers = await Promise.all(
      ['acme/web/first', 'acme/web/nope', 'nobody/web/nope'].map(name => anonymous.send(`/v2/${name}/manifests/v1`)),
    )
    expect(answers.map(faultOf)).toEqual(Array(3).fill('403 DENIED IAM_PERMISSION_DENIED'))
    expect(new Set(answers.map(({ bytes }) => new TextDecoder().decode(bytes))).size).toBe(1)
  })
})

describe('the protocol', () => {
  it('answers unknown paths and methods in its own form', async () => {
    const { oci } = registry()
    const token = await oci.token('repository:acme/web/first:pull,push')
    const send = async (method: string, path: string) => faultOf(await oci.send(path, { method, token }))
    expect(await send('GET', '/v2/acme/web/first/nothing')).toBe('404 UNSUPPORTED ROUTE_NOT_FOUND')
    expect(await send('POST', '/v2/acme/web/first/tags/list')).toBe('405 UNSUPPORTED ROUTE_NOT_FOUND')
    expect(await send('GET', '/v2/%zz/manifests/a')).toBe('400 UNSUPPORTED FIELD_INVALID')
    expect(await send('GET', '/v2/UPPER/manifests/a')).toBe('400 NAME_INVALID')
  })
})
