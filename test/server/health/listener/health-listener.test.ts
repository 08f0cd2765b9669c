import { connect } from 'node:net'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testToken } from '../../access/test-access.ts'
import { testServer } from '../../http/harness.ts'
import { sampleArea } from '../../sample-area.ts'
import { testFolder } from '../../store/harness.ts'
import { readExposition, valueOf } from '../exposition-format.ts'

const health = { host: '127.0.0.1', port: 0 }

async function served(isPublic = false) {
  const server = await testServer([sampleArea()], testFolder(), { health, isPublic })
  const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${server.healthUrl}${path}`, init)
  return { server, get }
}

/** Requests paths of a server in another thread; `done` is 1 after the last response, and the bodies are posted. */
const caller = `
  const { parentPort, workerData: { url, paths, done } } = require('node:worker_threads')
  const get = async path => { const answer = await fetch(url + path); return [answer.status, await answer.text()] }
  Promise.all(paths.map(get)).then(answers => {
    parentPort.postMessage(answers)
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
  })`

describe('a server with health.listen', () => {
  it('answers health and metrics at both addresses, and nothing else at the separate address', async () => {
    const { server, get } = await served()
    expect(server.greeting).toContain(`answers health and metrics on ${server.healthUrl}`)
    expect(await (await get('/healthz')).json()).toEqual({ status: 'alive' })
    await expect.poll(async () => (await get('/readyz')).json()).toEqual({ status: 'ready' })
    const samples = readExposition(await (await get('/metrics')).text())
    expect(valueOf(samples, 'ninefold_http_in_work_limit')).toBe(1000)
    for (const path of ['/healthz', '/readyz']) expect((await fetch(server.url + path)).status).toBe(200)
    for (const path of ['/', '/sample/v1/crates', '/openapi/sample.json']) {
      const answer = await get(path)
      expect([answer.status, await answer.json()]).toMatchObject([404, { details: [{ reason: 'ROUTE_NOT_FOUND' }] }])
    }
    expect((await get('/healthz', { method: 'POST' })).status).toBe(405)
  })

  it('answers at the separate address while its event loop is blocked', async () => {
    const { server, get } = await served()
    await expect.poll(async () => (await get('/readyz')).status).toBe(200)
    const done = new Int32Array(new SharedArrayBuffer(4))
    const paths = ['/healthz', '/readyz', '/metrics']
    const thread = new Worker(caller, { eval: true, workerData: { url: server.healthUrl, paths, done } })
    onTestFinished(async () => void (await thread.terminate()))
    const answered = once(thread, 'message')
    // This thread serves the platform, and runs nothing else until the other thread has all responses.
    expect(Atomics.wait(done, 0, 0, 30_000)).toBe('ok')
    const [answers]: (readonly (readonly [status: number, body: string])[])[] = await answered
    expect(answers?.map(([status]) => status)).toEqual([200, 200, 200])
    expect(answers?.[2]?.[1]).toContain('ninefold_store_up 1')
  })

  it('gives metrics only to callers on the same machine, unless metrics.public', async () => {
    const forwarded = { headers: { 'x-forwarded-for': '192.0.2.7' } }
    expect((await (await served()).get('/metrics', forwarded)).status).toBe(404)
    expect((await (await served(true)).get('/metrics', forwarded)).status).toBe(200)
  })

  it('sees a header of a proxy behind many headers, whose number has no limit', async () => {
    const { get } = await served()
    const many = Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`h${i}`, '1']))
    expect((await get('/healthz', { headers: many })).status).toBe(200)
    expect((await get('/metrics', { headers: many })).status).toBe(200)
    expect((await get('/metrics', { headers: { ...many, 'x-forwarded-for': '192.0.2.7' } })).status).toBe(404)
  })

  it('refuses bytes that are no HTTP in the form of the platform', async () => {
    const { server } = await served()
    const socket = connect(Number(new URL(server.healthUrl ?? '').port), '127.0.0.1')
    socket.write('hello\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .*FIELD_INVALID/s)
  })

  it('listens no more after its end', async () => {
    const { server, get } = await served()
    await expect.poll(async () => (await get('/readyz')).status).toBe(200)
    await server.close()
    await expect(get('/healthz')).rejects.toThrow('fetch failed')
  })

  it('says at the separate address that it drains', async () => {
    const started = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const wait = (): Promise<void> => {
      started.resolve()
      return released.promise
    }
    const server = await testServer([sampleArea({ wait })], testFolder(), { health })
    const headers = { authorization: `Bearer ${testToken}` }
    const slow = fetch(`${server.url}/sample/v1/crates/slow`, { headers })
    await started.promise
    const closed = server.close()
    const ready = async () => (await fetch(`${server.healthUrl}/readyz`)).json()
    await expect.poll(ready).toEqual({ status: 'draining' })
    released.resolve()
    await Promise.all([slow, closed])
  })

  it('does not start at an address that is taken', async () => {
    const { server } = await served()
    const taken = { host: '127.0.0.1', port: Number(new URL(server.healthUrl ?? '').port) }
    await expect(testServer([sampleArea()], testFolder(), { health: taken })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
