import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testToken } from '../access/test-access.ts'
import { readExposition, valueOf } from '../health/exposition-format.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { rawExchange, testServer, type TestSettings } from './harness.ts'

/** Occupies the processor, as a call on SQLite does. */
function busy(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const readers = 200
const callMs = 2

/** Serves an area whose slow operation occupies the processor for `callMs`, and counts the calls of the operation. */
async function served(settings: TestSettings = {}) {
  let calls = 0
  const wait = async (): Promise<void> => {
    calls += 1
    busy(callMs)
  }
  const { url } = await testServer([sampleArea({ wait })], testFolder(), settings)
  const port = Number(new URL(url).port)
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { url, open, calls: () => calls }
}

const read = `GET /sample/v1/crates/slow HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${testToken}\r\n\r\n`

describe('a server with more requests than it can answer', () => {
  it.each(['/healthz', '/readyz', '/metrics'])(
    'answers %s on a new connection before it has answered the requests of other connections',
    async path => {
      const { url, open, calls } = await served()
      const sockets = await Promise.all(Array.from({ length: readers }, open))
      // The first request loads modules.
      await (await fetch(`${url}/metrics`)).text()
      for (const socket of sockets) socket.write(read)
      const answer = await rawExchange(url, `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(calls()).toBeLessThan(readers / 2)
    },
  )

  it('refuses with 503 and Retry-After what would wait too long, counts the refusals, and logs few of them', async () => {
    const { url, open } = await served({ limits: { waitMs: 10 } })
    const sockets = await Promise.all(Array.from({ length: readers }, open))
    const answers = sockets.map(async socket => String((await once(socket, 'data'))[0]))
    for (const socket of sockets) socket.write(read)
    const texts = await Promise.all(answers)
    const refused = texts.filter(text => text.startsWith('HTTP/1.1 503 '))
    const admitted = texts.filter(text => text.startsWith('HTTP/1.1 200 '))
    expect(refused.length + admitted.length).toBe(readers)
    expect(refused.length).toBeGreaterThan(readers / 10)
    expect(admitted.length).toBeGreaterThan(0)
    for (const text of refused) expect(text).toMatch(/\r\nretry-after: 1\r\n/i)
    const samples = readExposition(await (await fetch(`${url}/metrics`)).text())
    expect(valueOf(samples, 'ninefold_http_refused_total', { cause: 'overloaded' })).toBe(refused.length)
    expect(valueOf(samples, 'ninefold_http_waiting')).toBe(0)
  })

  it('counts waiting requests against the limit of calls in progress', async () => {
    const { open, calls } = await served({ limits: { maxInFlight: 5 } })
    const sockets = await Promise.all(Array.from({ length: readers }, open))
    const answers = sockets.map(async socket => String((await once(socket, 'data'))[0]).slice(9, 12))
    for (const socket of sockets) socket.write(read)
    const statuses = await Promise.all(answers)
    expect(statuses.filter(status => status === '503').length).toBeGreaterThan(readers / 2)
    expect(calls()).toBe(statuses.filter(status => status === '200').length)
  })

  it('begins no call for a caller that has disconnected while it waited', async () => {
    const { url, open, calls } = await served()
    const sockets = await Promise.all(Array.from({ length: 20 }, open))
    for (const socket of sockets) socket.write(read, () => socket.destroy())
    await rawExchange(url, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    await expect.poll(() => fetch(`${url}/healthz`).then(({ status }) => status)).toBe(200)
    expect(calls()).toBeLessThan(20)
  })
})
