import { createServer, type Socket } from 'node:net'
import { setTimeout as nextRead } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { sendRequest } from '../../server/outgoing-request.ts'
import { listenLocally } from '../listen-locally.ts'

/** Serves a host that answers each request by `answer`; returns its address, and the text of the first request. */
async function host(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  let asked = ''
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', data => {
      asked ||= data.toString('latin1')
      answer(socket)
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `${await listenLocally(server)}/a?b=c`, asked: () => asked }
}

const signal = (): AbortSignal => AbortSignal.timeout(60_000)
const body = 'x'.repeat(65_536)
const closed = `HTTP/1.1 200 OK\r\nConnection: close\r\n`

it('sends the method, the headers and the body', async () => {
  const { asked, url } = await host(socket => void socket.end('HTTP/1.1 201 Created\r\nX-A: 1\r\nX-A: 2\r\n\r\nmade'))
  const answer = await sendRequest(url, {
    method: 'POST',
    headers: { 'X-Given': 'yes' },
    body: 'hello',
    signal: signal(),
  })
  expect([answer.status, answer.headers.get('x-a'), await answer.text()]).toEqual([201, '1, 2', 'made'])
  expect(asked()).toMatch(/^POST \/a\?b=c HTTP\/1\.1\r\n/)
  expect(asked()).toContain('x-given: yes\r\n')
  expect(asked()).toContain('Content-Length: 5\r\n')
})

it.each([
  ['a length', `${closed}Content-Length: ${body.length}\r\n\r\n${body}`],
  ['no length', `${closed}\r\n${body}`],
  ['chunks', `${closed}Transfer-Encoding: chunked\r\n\r\n10000\r\n${body}\r\n0\r\n\r\n`],
])('reads late what a host with %s has sent before it closed the connection', async (_, bytes) => {
  const { url } = await host(socket => void socket.end(bytes))
  for (let i = 0; i < 5; i += 1) {
    const answer = await sendRequest(url, { signal: signal() })
    await nextRead(20)
    expect(await answer.text()).toBe(body)
  }
})

it('gives the answer of a redirect, and follows none', async () => {
  const { url } = await host(socket => void socket.end('HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n'))
  const answer = await sendRequest(url, { signal: signal() })
  expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([302, '/b', ''])
})

it('gives an answer without a body', async () => {
  const { url } = await host(socket => void socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  expect((await sendRequest(url, { signal: signal() })).body).toBeNull()
})

it.each([
  ['of no HTTP', 'hello'],
  ['with a status beyond HTTP', 'HTTP/1.1 799 Odd\r\nConnection: close\r\n\r\n'],
  ['that changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ['with endless headers', `HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(9000)}\r\n`],
  ['that is missing', ''],
])('rejects an answer %s', async (_, bytes) => {
  const { url } = await host(socket => void socket.end(bytes))
  await expect(sendRequest(url, { signal: signal() })).rejects.toThrow(Error)
})

it('ends a request and the body of an answer by its signal', async () => {
  const { url } = await host(socket => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc`))
  const abort = new AbortController()
  const answer = await sendRequest(url, { signal: abort.signal })
  abort.abort()
  await nextRead(20)
  await expect(answer.text()).rejects.toThrow(Error)
  await expect(sendRequest(url, { signal: abort.signal })).rejects.toThrow(Error)
})

it('ends the connection of a body that is cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { url } = await host(socket => {
    socket.on('close', () => resolve())
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabc`)
  })
  const answer = await sendRequest(url, { signal: signal() })
  await answer.body?.cancel()
  await promise
})
