import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CallsOutside } from '../../../../server/observability/outbound/calls-outside.ts'
import type { HostAddress } from '../../../../server/observability/outbound/named-addresses.ts'
import { hostileHost } from './hostile-host.ts'

const loopback: HostAddress = { address: '127.0.0.1', family: 4 }
const outside: HostAddress = { address: '198.51.100.7', family: 4 }

/** Calls that may go to loopback, where the hosts of the tests are. */
const calls = new CallsOutside(['127.0.0.0/8'])

const get = (url: string, by = calls, timeoutMs = 60_000, headers: Record<string, string> = {}) =>
  by.send({ method: 'GET', url, headers, timeoutMs })

const answering = (response: string | Buffer) =>
  hostileHost(socket => {
    socket.write(response)
    socket.end()
  })

const at = (port: number) => `http://127.0.0.1:${port}/metrics?token=hidden`

/** Returns the message of the error with which a request ends. */
async function messageOf(sent: Promise<unknown>): Promise<string> {
  const error: unknown = await sent.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof Error ? error.message : 'no error'
}

describe('the refusal of a URL', () => {
  const named = (addresses: readonly HostAddress[]) => new CallsOutside(['10.1.0.0/16'], async () => addresses)

  it.each<[string, RegExp]>([
    ['ftp://198.51.100.7/', /http or https/],
    ['/metrics', /http or https/],
    ['http://user@198.51.100.7/', /user name/],
    ['http://:word@198.51.100.7/', /user name/],
    ['http://127.1/', /loopback/],
    ['http://017700000001/', /loopback/],
    ['http://[::1]/', /loopback/],
    ['http://[::ffff:169.254.169.254]/', /link-local/],
    ['http://0/', /unspecified/],
  ])('says why %s is not called', async (url, sentence) => {
    expect(await new CallsOutside([]).refusal(url, 'allowed')).toMatch(sentence)
    expect(await messageOf(get(url, new CallsOutside([])))).toMatch(sentence)
  })

  it('asks for the addresses of a name, all of which must be allowed', async () => {
    expect(await named([outside]).refusal('https://metrics.test/', 'allowed')).toBeUndefined()
    expect(await named([outside, loopback]).refusal('https://metrics.test/', 'allowed')).toMatch(/loopback/)
    const unknown = new CallsOutside([], () => Promise.reject(new Error('no such name')))
    expect(await unknown.refusal('https://metrics.test/', 'allowed')).toBeUndefined()
  })

  it('wants TLS for receivers outside of the allowed networks', async () => {
    const refusal = (url: string, address: string) => named([{ address, family: 4 }]).refusal(url, 'to-private-targets')
    expect(await refusal('http://hook.test/', '198.51.100.7')).toMatch(/https/)
    expect(await refusal('https://hook.test/', '198.51.100.7')).toBeUndefined()
    expect(await refusal('http://hook.test/', '10.1.0.1')).toBeUndefined()
    const unknown = new CallsOutside([], () => Promise.reject(new Error('no such name')))
    expect(await unknown.refusal('http://hook.test/', 'to-private-targets')).toMatch(/https/)
    const sent = named([outside]).send({
      method: 'POST',
      url: 'http://hook.test/',
      http: 'to-private-targets',
      headers: {},
      timeoutMs: 1000,
    })
    expect(await messageOf(sent)).toMatch(/https/)
  })
})

describe('a request', () => {
  it('is sent with its headers, and returns status, headers and body', async () => {
    const host = await answering('HTTP/1.1 200 OK\r\nX-One: a\r\nX-One: b\r\nContent-Length: 2\r\n\r\nhi')
    const { body, headers, status } = await get(at(host.port), calls, 5000, { authorization: 'Bearer hidden' })
    expect({ status, body: Buffer.from(body).toString(), one: headers['x-one'] }).toEqual({
      status: 200,
      body: 'hi',
      one: 'a, b',
    })
    expect(host.received()).toMatch(/^GET \/metrics\?token=hidden HTTP\/1\.1\r\n/)
    expect(host.received()).toMatch(/authorization: Bearer hidden/)
    expect(host.received()).toMatch(/connection: close/i)
  })

  it('goes to the address that was checked, whatever the name means later', async () => {
    const host = await answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    const answers = [[outside], [loopback]]
    const rebinding = new CallsOutside([], async () => answers.shift() ?? [loopback])
    const url = `http://rebind.test:${host.port}/`
    expect(await rebinding.refusal(url, 'allowed')).toBeUndefined()
    expect(await messageOf(get(url, rebinding))).toMatch(/loopback/)
    const once = new CallsOutside(['127.0.0.0/8'], async () => [loopback])
    expect((await get(url, once)).status).toBe(200)
    expect(host.connections()).toBe(1)
  })

  it('does not follow a redirection', async () => {
    const inner = await answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    const location = `http://127.0.0.1:${inner.port}/secret`
    const host = await answering(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
    const { headers, status } = await get(at(host.port))
    expect({ status, location: headers['location'] }).toEqual({ status: 302, location })
    expect(inner.connections()).toBe(0)
  })

  it('inflates gzip up to 10 MiB', async () => {
    const packed = (body: Buffer) =>
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n'), gzipSync(body)])
    const fits = await answering(packed(Buffer.alloc(10 * 2 ** 20, 'a')))
    expect((await get(at(fits.port))).body).toHaveLength(10 * 2 ** 20)
    const bomb = await answering(packed(Buffer.alloc(200 * 2 ** 20)))
    const before = process.memoryUsage().rss
    expect(await messageOf(get(at(bomb.port)))).toMatch(/10 MiB/)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
  })

  it.each<[string, string | Buffer, RegExp]>([
    ['no response', '', /connection ended/],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', /no valid HTTP/],
    ['a bare line feed in a header', 'HTTP/1.1 200 OK\r\nA: b\nContent-Length : 1\r\n\r\nx', /no valid HTTP/],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', /no valid HTTP/],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', /no valid HTTP|connection ended/],
    ['a cut body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi', /connection ended/],
    [
      'headers without end',
      `HTTP/1.1 200 OK\r\n${`A: ${'b'.repeat(1000)}\r\n`.repeat(40)}\r\n`,
      /headers .* too large/,
    ],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', /ended/],
    ['no gzip', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain text', /no valid gzip/],
    ['another coding', 'HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nxx', /coding other than gzip/],
  ])('ends with a sentence for %s', async (_what, response, sentence) => {
    const host = await answering(response)
    const message = await messageOf(get(at(host.port), calls, 3000, { authorization: 'Bearer hidden' }))
    expect(message).toMatch(sentence)
    expect(message).not.toContain('hidden')
  })

  it('accepts interim responses before the response', async () => {
    const host = await answering(
      `${'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(20)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`,
    )
    expect((await get(at(host.port))).status).toBe(200)
  })

  it.each<[string, string]>([
    ['headers', 'HTTP/1.1 200 OK\r\nX: '],
    ['a body', 'HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n'],
    ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['interim responses', ''],
  ])('ends at its timeout while %s drip in', async (what, start) => {
    const drop = what === 'interim responses' ? 'HTTP/1.1 102 Processing\r\n\r\n' : 'a'
    const host = await hostileHost(socket => {
      socket.write(start)
      const timer = setInterval(() => socket.write(drop), 20)
      socket.on('close', () => clearInterval(timer))
    })
    const began = performance.now()
    expect(await messageOf(get(at(host.port), calls, 300))).toBe('the whole response did not arrive within 0.3 s')
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it('ends at its timeout while the name resolves', async () => {
    const stuck = new CallsOutside([], () => new Promise(() => {}))
    expect(await messageOf(get('http://stuck.test/', stuck, 100))).toMatch(/did not arrive within 0\.1 s/)
  })

  it('ends when its signal is aborted, and names no secret in a faulty header', async () => {
    const host = await hostileHost(() => {})
    const controller = new AbortController()
    const sent = calls.send({
      method: 'GET',
      url: at(host.port),
      headers: {},
      timeoutMs: 5000,
      signal: controller.signal,
    })
    setImmediate(() => controller.abort())
    expect(await messageOf(sent)).toBe('the request was cancelled')
    const message = await messageOf(get(at(host.port), calls, 500, { authorization: 'hidden\nword' }))
    expect(message).toMatch(/header of the request/)
    expect(message).not.toContain('hidden')
  })

  it('refuses a closed port with a sentence', async () => {
    const host = await answering('')
    const closed = await messageOf(get('http://127.0.0.1:1/', calls, 1000))
    expect(closed).toBe('the host refused the connection')
    expect(host.connections()).toBe(0)
  })
})
