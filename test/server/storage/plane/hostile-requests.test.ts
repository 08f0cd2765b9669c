import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersOf, servedPlane, targetOf, type ServedPlane } from './served-plane.ts'

let plane: ServedPlane
let host: string
/** The target of a URL for the object `secret`, which has the content `the content`. */
let secret: string
let ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  plane = await servedPlane(end => void ends.push(end))
  host = new URL(plane.url).host
  await plane.put('secret', 'the content')
  secret = targetOf((await plane.download('secret')).url)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

const lines = (...parts: readonly string[]): string => `${parts.join('\r\n')}\r\n\r\n`

const get = (target: string, ...headers: readonly string[]): Promise<string> =>
  plane.raw(lines(`GET ${target} HTTP/1.1`, `host: ${host}`, 'connection: close', ...headers))

describe('a read', () => {
  const query = (): string => secret.slice(secret.indexOf('?'))
  const bucket = (): string => plane.at.bucket

  it.each<readonly [name: string, target: () => string, answer: string]>([
    ['as it was signed', () => secret, '200'],
    ['in absolute form', () => `http://${host}${secret}`, '200'],
    ['in absolute form with another host, which only the header decides', () => `http://other.test${secret}`, '200'],
    [
      'of a file of the host',
      () => `/storage-data/v1/${bucket()}/../../../../etc/passwd${query()}`,
      '403 SIGNATURE_INVALID',
    ],
    ['with encoded dots', () => `/storage-data/v1/%2e%2e/%2e%2e/etc/passwd${query()}`, '403 SIGNATURE_INVALID'],
    [
      'with dots and encoded slashes',
      () => `/storage-data/v1/..%2f..%2fetc%2fpasswd/a${query()}`,
      '403 SIGNATURE_INVALID',
    ],
    ['with backslashes', () => `/storage-data/v1/${bucket()}/..\\..\\secret${query()}`, '403 SIGNATURE_INVALID'],
    [
      'with encoded backslashes',
      () => `/storage-data/v1/${bucket()}/..%5c..%5csecret${query()}`,
      '403 SIGNATURE_INVALID',
    ],
    ['with a NUL', () => `/storage-data/v1/${bucket()}/secret%00${query()}`, '403 SIGNATURE_INVALID'],
    ['with dots before the plane', () => `/x/../storage-data/v1/${bucket()}/secret${query()}`, '404 ROUTE_NOT_FOUND'],
    ['with two slashes before the plane', () => `/${secret}`, '404 ROUTE_NOT_FOUND'],
    ['with two slashes in the plane', () => secret.replace('/v1/', '/v1//'), '404 ROUTE_NOT_FOUND'],
    ['with two slashes after the bucket', () => secret.replace('/secret', '//secret'), '403 SIGNATURE_INVALID'],
    ['with parameters of the path', () => secret.replace('/secret', '/secret;a=b'), '403 SIGNATURE_INVALID'],
    ['with a fragment', () => `${secret}#part`, '403 SIGNATURE_INVALID'],
    ['with a second question mark', () => secret.replace('?', '??'), '403 SIGNATURE_INVALID'],
    ['with semicolons between parameters', () => secret.replaceAll('&', ';'), '403 SIGNATURE_INVALID'],
    ['with bytes that are not UTF-8', () => secret.replace('/secret', '/secret%ff%fe'), '400 FIELD_INVALID'],
    ['with a cut escape', () => secret.replace('/secret', '/secret%'), '400 FIELD_INVALID'],
    ['of 17 KiB', () => `${secret}&a=${'a'.repeat(17 * 1024)}`, '400 FIELD_INVALID'],
    ['of 10,000 slashes', () => `/storage-data/v1/${bucket()}/${'a/'.repeat(5000)}${query()}`, '403 SIGNATURE_INVALID'],
    ['of the prefix alone', () => '/storage-data/v1', '404 ROUTE_NOT_FOUND'],
    ['of a name that begins like the plane', () => secret.replace('/v1/', '/v10/'), '404 ROUTE_NOT_FOUND'],
    ['without a signature', () => secret.replace(/\?.*/, ''), '403 SIGNATURE_INVALID'],
    [
      'of a bucket that does not exist, without a signature',
      () => '/storage-data/v1/01900000-0000-7000-8000-000000000001/a',
      '403 SIGNATURE_INVALID',
    ],
    ['of a bucket that is no id, without a signature', () => '/storage-data/v1/a/a', '403 SIGNATURE_INVALID'],
  ])('%s', async (_, target, answer) => {
    const received = await get(target())
    expect(answersOf(received)).toEqual([answer])
    expect(received.includes('the content')).toBe(answer === '200')
  })

  it('without a right answers the same for a bucket that exists as for another', async () => {
    const absent = '01900000-0000-7000-8000-000000000001'
    const masked = (text: string): string =>
      text
        .replace(/^(?:x-request-id|traceparent|date):.*\r\n/gim, '')
        .replaceAll(absent, '')
        .replaceAll(bucket(), '')
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
      for (const origin of ['', 'origin: https://a.test\r\naccess-control-request-method: GET\r\n']) {
        const [first = '', second] = await Promise.all(
          [bucket(), absent].map(async id =>
            masked(
              await plane.raw(
                `${method} /storage-data/v1/${id}/a HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${origin}\r\n`,
              ),
            ),
          ),
        )
        expect(first.length).toBeGreaterThan(20)
        expect(second).toBe(first)
      }
  })

  it.each<readonly [name: string, headers: readonly string[], answer: string]>([
    ['60 KiB in one header', [`x-long: ${'h'.repeat(60 * 1024)}`], '431 FIELD_INVALID'],
    ['10,000 headers', Array.from({ length: 10_000 }, (_, i) => `x-${i}: 1`), '431 FIELD_INVALID'],
    ['3,000 short headers', Array.from({ length: 3000 }, (_, i) => `x-${i}: 1`), '200'],
    ['1,000 headers of one name', Array.from({ length: 1000 }, () => `x-a: 1`), '200'],
    ['a signed host twice', [`host: 127.0.0.1`], '400 FIELD_INVALID'],
    ['an authorization', ['authorization: Bearer x'], '200'],
    ['a blank before the colon', ['x-a : 1'], '400 FIELD_INVALID'],
    ['a continued line', ['x-a: 1', ' 2'], '400 FIELD_INVALID'],
    ['a name with a control character', ['x-a\u0001: 1'], '400 FIELD_INVALID'],
    ['a value with a NUL', ['x-a: \u0000'], '400 FIELD_INVALID'],
    ['an empty name', [': 1'], '400 FIELD_INVALID'],
    ['an upgrade', ['upgrade: h2c', 'connection: upgrade'], '200'],
    ['an unsigned header of S3', ['X-AMZ-ACL: private'], '403 SIGNATURE_INVALID'],
    ['an unknown expectation', ['expect: banana'], '200'],
  ])('with %s', async (_, headers, answer) => {
    const received = await get(secret, ...headers)
    expect(answersOf(received)).toEqual([answer])
  })

  it('takes the names of headers in any case', async () => {
    const signed = await plane.upload('cases', { content_type: 'text/plain', custom_metadata: { a: 'one' } })
    const head = lines(
      `PUT ${targetOf(signed.url)} HTTP/1.1`,
      `HOST: ${host}`,
      'Content-TYPE: text/plain',
      'X-AMZ-Meta-A: one',
      'Connection: close',
      'content-length: 0',
    )
    expect(answersOf(await plane.raw(head))).toEqual(['200'])
  })
})

/** An upload to an object of its own with these header lines and bytes. */
type Upload = readonly [
  name: string,
  headers: readonly string[],
  bytes: string,
  answers: readonly string[],
  content: string,
]

/** What a server that takes the bytes of a body for a request would answer. */
const smuggled = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'

const uploads: readonly Upload[] = [
  ['its length', ['content-length: 5'], 'hello', ['200'], 'hello'],
  ['a length of zero', ['content-length: 0'], '', ['200'], ''],
  ['no length and no body', [], '', ['200'], ''],
  ['leading zeros', ['content-length: 0005'], 'hello', ['200'], 'hello'],
  ['chunks', ['transfer-encoding: chunked'], '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', ['200'], 'hello'],
  [
    'trailers, which have no effect',
    ['transfer-encoding: chunked', 'trailer: x-amz-meta-a, content-type'],
    '5\r\nhello\r\n0\r\nx-amz-meta-a: evil\r\ncontent-type: text/html\r\n\r\n',
    ['200'],
    'hello',
  ],
  [
    'a length in a trailer',
    ['transfer-encoding: chunked'],
    '5\r\nhello\r\n0\r\ncontent-length: 1\r\n\r\n',
    ['400 FIELD_INVALID'],
    '',
  ],
  ['extensions of chunks', ['transfer-encoding: chunked'], '5;a=b\r\nhello\r\n0\r\n\r\n', ['200'], 'hello'],
  ['another request behind its body', ['content-length: 5'], `hello${smuggled}`, ['200', '200'], 'hello'],
  ['a sign', ['content-length: +5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a negative length', ['content-length: -5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a hexadecimal length', ['content-length: 0x5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a fraction', ['content-length: 5.0'], 'hello', ['400 FIELD_INVALID'], ''],
  ['an exponent', ['content-length: 5e0'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a blank in the length', ['content-length: 5 5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['an empty length', ['content-length:'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a list of lengths', ['content-length: 5, 5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['two equal lengths', ['content-length: 5', 'content-length: 5'], 'hello', ['400 FIELD_INVALID'], ''],
  ['two lengths', ['content-length: 5', 'content-length: 6'], 'hello', ['400 FIELD_INVALID'], ''],
  ['a length beyond 2^64', [`content-length: ${'9'.repeat(25)}`], 'hello', ['400 FIELD_INVALID'], ''],
  ['a length of 6 TiB', [`content-length: ${6 * 2 ** 40}`], '', ['413 OBJECT_TOO_LARGE'], ''],
  ['a length of 2^63', ['content-length: 9223372036854775808'], '', ['413 OBJECT_TOO_LARGE'], ''],
  [
    'a length and chunks',
    ['content-length: 5', 'transfer-encoding: chunked'],
    `0\r\n\r\n${smuggled}`,
    ['400 FIELD_INVALID'],
    '',
  ],
  [
    'chunks and a length',
    ['transfer-encoding: chunked', 'content-length: 5'],
    `0\r\n\r\n${smuggled}`,
    ['400 FIELD_INVALID'],
    '',
  ],
  [
    'chunks twice',
    ['transfer-encoding: chunked', 'transfer-encoding: chunked'],
    '0\r\n\r\n',
    ['400 FIELD_INVALID'],
    '',
  ],
  ['another last coding', ['transfer-encoding: chunked, identity'], '0\r\n\r\n', ['400 FIELD_INVALID'], ''],
  ['an unknown coding', ['transfer-encoding: xchunked'], '0\r\n\r\n', ['400 FIELD_INVALID'], ''],
  ['compressed chunks', ['transfer-encoding: gzip, chunked'], '1\r\nx\r\n0\r\n\r\n', ['501 FIELD_INVALID'], ''],
  [
    'a coding of its own line before the chunks',
    ['transfer-encoding: gzip', 'transfer-encoding: Chunked'],
    '1\r\nx\r\n0\r\n\r\n',
    ['501 FIELD_INVALID'],
    '',
  ],
  ['chunks in capitals', ['transfer-encoding: CHUNKED'], '5\r\nhello\r\n0\r\n\r\n', ['200'], 'hello'],
  ['a chunk without a size', ['transfer-encoding: chunked'], '\r\nhello\r\n0\r\n\r\n', ['400 FIELD_INVALID'], ''],
  ['a chunk with a sign', ['transfer-encoding: chunked'], '+5\r\nhello\r\n0\r\n\r\n', ['400 FIELD_INVALID'], ''],
  ['a chunk beyond 2^64', ['transfer-encoding: chunked'], `${'F'.repeat(17)}\r\nhello`, ['400 FIELD_INVALID'], ''],
  [
    'a longer chunk than its size',
    ['transfer-encoding: chunked'],
    '2\r\nhello\r\n0\r\n\r\n',
    ['400 FIELD_INVALID'],
    '',
  ],
  ['chunks with bare line feeds', ['transfer-encoding: chunked'], '5\nhello\n0\n\n', ['400 FIELD_INVALID'], ''],
  ['a blank before the colon', ['content-length : 5'], 'hello', ['400 FIELD_INVALID'], ''],
]

describe('an upload', () => {
  it.each(uploads)('with %s', async (name, headers, bytes, answers, content) => {
    const signed = await plane.upload(name)
    const isLast = answers.length > 1 ? [] : ['connection: close']
    const head = lines(`PUT ${targetOf(signed.url)} HTTP/1.1`, `host: ${host}`, ...isLast, ...headers)
    const received = await plane.raw(`${head}${bytes}${answers.length > 1 && answers[1] === '200' ? closing() : ''}`)
    expect(answersOf(received).slice(0, answers.length)).toEqual(answers)
    const stored = await fetch((await plane.download(name)).url)
    expect([stored.status, stored.ok ? await stored.text() : '']).toEqual(
      answers[0] === '200' ? [200, content] : [404, ''],
    )
    await expect.poll(() => plane.temporary()).toEqual([])
    if (stored.ok)
      expect(await plane.api.storage.getObjectMetadata({ ...plane.at, object: name })).toMatchObject({
        content_type: 'application/octet-stream',
        custom_metadata: {},
      })
  })

  it('with more bytes than its length is refused, and stores no byte beyond the length', async () => {
    const signed = await plane.upload('longer')
    const head = lines(`PUT ${targetOf(signed.url)} HTTP/1.1`, `host: ${host}`, 'content-length: 2')
    expect(answersOf(await plane.raw(`${head}hello`)).at(-1)).toBe('400 FIELD_INVALID')
    const stored = await fetch((await plane.download('longer')).url)
    expect([404, 'he']).toContain(stored.ok ? await stored.text() : stored.status)
  })

  it('whose body ends early keeps nothing', async () => {
    for (const [i, headers] of ['content-length: 10', 'transfer-encoding: chunked'].entries()) {
      const signed = await plane.upload(`early-${i}`)
      const socket = await plane.open()
      socket.write(lines(`PUT ${targetOf(signed.url)} HTTP/1.1`, `host: ${host}`, headers))
      socket.write(i === 0 ? 'hello' : '5\r\nhello\r\n')
      await expect.poll(() => plane.temporary().length).toBe(1)
      socket.destroy()
      await expect.poll(() => plane.temporary()).toEqual([])
      expect((await fetch((await plane.download(`early-${i}`)).url)).status).toBe(404)
    }
  })

  it('that is refused before its body is not asked for the body', async () => {
    const { url } = await plane.upload('asked', { if_none_match: '*' })
    const changed = url.replace(/.$/, last => (last === '0' ? '1' : '0'))
    const received = await plane.raw(
      lines(
        `PUT ${targetOf(changed)} HTTP/1.1`,
        `host: ${host}`,
        'if-none-match: *',
        'expect: 100-continue',
        'content-length: 5',
        'connection: close',
      ),
    )
    expect(received).not.toContain('100 Continue')
    expect(answersOf(received)).toEqual(['403 SIGNATURE_INVALID'])
  })
})

const closing = (): string => lines('GET /healthz HTTP/1.1', `host: ${host}`, 'connection: close')

it('a preflight request is answered as often as it comes, and names no bucket', async () => {
  const one = lines(
    `OPTIONS /storage-data/v1/${plane.at.bucket}/a HTTP/1.1`,
    `host: ${host}`,
    'origin: https://a.test',
    'access-control-request-method: PUT',
  )
  const received = await plane.raw(one.repeat(2000), closing())
  expect(new Set(answersOf(received).slice(0, 2000))).toEqual(new Set(['204']))
  expect(received).not.toContain('access-control')
})
