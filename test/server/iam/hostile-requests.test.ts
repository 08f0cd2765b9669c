import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../../server/areas.ts'
import { openIam } from '../../../server/iam/open.ts'
import { serve, type RunningServer } from '../../../server/serve.ts'
import { administratorFile, signIn } from '../access/sign-in.ts'
import { testFolder, testStoreUrl } from '../store/harness.ts'

let undo: (() => void | Promise<void>)[] = []
let server: RunningServer
let token = ''
/** The id of an existing principal. */
let id = ''

beforeAll(async () => {
  const later = (each: () => void | Promise<void>): void => void undo.push(each)
  const dataDir = testFolder(later)
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  server = await serve({ baseUrl: undefined, dataDir, http, bootstrap, ...(await testStoreUrl(later)) }, areas, openIam)
  later(() => server.close())
  token = await signIn(server.url)
  const [, claims = ''] = token.split('.')
  id = JSON.parse(Buffer.from(claims, 'base64url').toString()).sub
}, 120_000)

afterAll(async () => {
  for (const each of undo.toReversed()) await each()
  undo = []
})

/** Sends raw request lines, and returns the status and the reason of the first response. */
async function sent(...lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.setTimeout(10_000, () => socket.destroy(new Error('there is no answer')))
  socket.write([...lines, 'Host: platform.test', 'Connection: close', '', ''].join('\r\n'))
  const answer = await text(socket)
  const [, status = 'none'] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? []
  const [, reason = ''] = /"reason":"(\w+)"/.exec(answer) ?? []
  return `${status} ${reason}`.trim()
}

const get = (path: string, ...headers: readonly string[]): Promise<string> => sent(`GET ${path} HTTP/1.1`, ...headers)

const asked = (...headers: readonly string[]): Promise<string> => get(`/iam/v1/users/${id}`, ...headers)

describe('the header Authorization', () => {
  it.each<readonly [string, (good: string) => readonly string[], string]>([
    ['once', good => [`Authorization: Bearer ${good}`], '200'],
    ['in other letters', good => [`aUTHORIZATION: bEARER ${good}`], '200'],
    ['with blanks around it', good => [`Authorization: \t Bearer   ${good} \t`], '200'],
    ['not at all', () => [], '401 TOKEN_MISSING'],
    ['empty', () => ['Authorization:'], '401 TOKEN_INVALID'],
    ['twice alike', good => [`Authorization: Bearer ${good}`, `Authorization: Bearer ${good}`], '401 TOKEN_INVALID'],
    [
      'twice, a bad one first',
      good => ['Authorization: Bearer x', `Authorization: Bearer ${good}`],
      '401 TOKEN_INVALID',
    ],
    [
      'twice, a bad one last',
      good => [`Authorization: Bearer ${good}`, 'authorization: Basic eA=='],
      '401 TOKEN_INVALID',
    ],
    ['with two tokens', good => [`Authorization: Bearer ${good}, Bearer ${good}`], '401 TOKEN_INVALID'],
    ['with a parameter', good => [`Authorization: Bearer ${good}, realm="x"`], '401 TOKEN_INVALID'],
    ['with a tab between', good => [`Authorization: Bearer\t${good}`], '401 TOKEN_INVALID'],
    ['without its scheme', good => [`Authorization: ${good}`], '401 TOKEN_INVALID'],
    ['of another scheme', good => [`Authorization: Basic ${good}`], '401 TOKEN_INVALID'],
    ['of a proxy', good => [`Proxy-Authorization: Bearer ${good}`], '401 TOKEN_MISSING'],
    ['in a cookie', good => [`Cookie: authorization=Bearer ${good}; token=${good}`], '401 TOKEN_MISSING'],
    ['folded onto a second line', good => ['Authorization: Bearer', ` ${good}`], '400 FIELD_INVALID'],
    ['with a blank before the colon', good => [`Authorization : Bearer ${good}`], '400 FIELD_INVALID'],
    ['with U+0000 behind it', good => [`Authorization: Bearer ${good}\0`], '400 FIELD_INVALID'],
    ['with a bare line end in it', good => [`Authorization: Bearer ${good}\nX-More: 1`], '400 FIELD_INVALID'],
    ['in a token of another padding', good => [`Authorization: Bearer ${good}=`], '401 TOKEN_INVALID'],
  ])('%s', async (_, headers, expected) => {
    expect(await asked(...headers(token))).toBe(expected)
  })

  it('is not read from the query', async () => {
    expect(await get(`/iam/v1/users/${id}?access_token=${token}`)).toBe('401 TOKEN_MISSING')
  })
})

/** The server decides by its own reading of the path, even if a proxy could read the path differently. */
describe('a path', () => {
  const bearer = (): string => `Authorization: Bearer ${token}`

  it.each([
    ['/iam/v1/users/ID', '200'],
    ['http://elsewhere.example/iam/v1/users/ID', '200'],
    ['/iam/v1/users/%49D', '400 FIELD_INVALID'],
    ['/iam/v1/users/me/../ID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/users/./ID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/users/ID/', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1//users/ID', '404 ROUTE_NOT_FOUND'],
    ['//iam/v1/users/ID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/users%2FID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/users/..%2Fusers%2FID', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID%00', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID%', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID%ff', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID%ED%A0%80', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID;a=b', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID%3Adeactivate', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID:deactivate', '405 ROUTE_NOT_FOUND'],
    ['/iam/v1/users/ID:unknown', '400 FIELD_INVALID'],
    ['/IAM/v1/users/ID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/Users/ID', '404 ROUTE_NOT_FOUND'],
    ['/iam/v1/users/ID?x=1', '400 FIELD_INVALID'],
    ['/iam/v1/users/ID?update_mask=a&update_mask=b', '400 FIELD_INVALID'],
    ['/iam\\v1\\users\\ID', '404 ROUTE_NOT_FOUND'],
    ['*', '404 ROUTE_NOT_FOUND'],
  ])('%s has the response %s', async (path, expected) => {
    expect(await get(path.replace('ID', id), bearer())).toBe(expected)
  })

  it.each([
    ['X-HTTP-Method-Override: DELETE', '200'],
    ['X-Original-URL: /iam/v1/tokens', '200'],
    ['X-Rewrite-URL: /iam/v1/tokens', '200'],
    ['X-Forwarded-For: 127.0.0.1', '200'],
    ['Transfer-Encoding: chunked, identity', '400 FIELD_INVALID'],
    ['Content-Length: -1', '400 FIELD_INVALID'],
  ])('is read unchanged whatever %s contains', async (header, expected) => {
    expect(await get(`/iam/v1/users/${id}`, bearer(), header)).toBe(expected)
  })
})
