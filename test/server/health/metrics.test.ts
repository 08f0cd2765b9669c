import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { RunningServer } from '../../../server/serve.ts'
import { testServer, type TestSettings } from '../http/harness.ts'
import { sampleArea } from '../sample-area.ts'
import { testFolder } from '../store/harness.ts'
import { readExposition, valueOf, type Read } from './exposition-format.ts'
import { testToken } from '../access/test-access.ts'

async function served(settings: TestSettings = {}) {
  const dataDir = testFolder()
  const server = await testServer([sampleArea()], dataDir, settings)
  const authorization = `Bearer ${testToken}`
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(server.url + path, { ...init, headers: { authorization, 'content-type': 'application/json' } })
  return { server, call }
}

async function scrape({ url }: RunningServer): Promise<readonly Read[]> {
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readExposition(await answer.text())
}

describe('/metrics', () => {
  it('counts requests by operation and code, and requests without an operation as one series', async () => {
    const { server, call } = await served()
    for (const name of ['a', 'b']) await call('/sample/v1/crates', { method: 'POST', body: JSON.stringify({ name }) })
    await call('/sample/v1/crates', { method: 'POST', body: '{"name": 1}' })
    await fetch(`${server.url}/sample/v1/crates`)
    for (const path of ['/nope', '/sample/v1/nope', '/sample/v1/crates/a/b']) await call(path)
    const samples = await scrape(server)
    const calls = samples.filter(({ name }) => name === 'ninefold_http_requests_total')
    expect(calls.map(({ labels, value }) => [labels['area'], labels['operation'], labels['code'], value])).toEqual([
      ['sample', 'createCrate', 'OK', 2],
      ['sample', 'createCrate', 'INVALID_ARGUMENT', 1],
      ['sample', 'listCrates', 'UNAUTHENTICATED', 1],
      ['', 'unmatched', 'NOT_FOUND', 3],
    ])
    expect(valueOf(samples, 'ninefold_http_request_seconds_count', { operation: 'createCrate' })).toBe(3)
    expect(valueOf(samples, 'ninefold_http_request_seconds_sum', { operation: 'createCrate' })).toBeGreaterThan(0)
  })

  it('has series of the store, the queue, the event loop and the load', async () => {
    const { server, call } = await served()
    const before = valueOf(await scrape(server), 'ninefold_store_transactions_total', { outcome: 'committed' })
    await call('/sample/v1/crates', { method: 'POST', body: '{"name": "a"}' })
    const samples = await scrape(server)
    const after = valueOf(samples, 'ninefold_store_transactions_total', { outcome: 'committed' })
    expect(after).toBeGreaterThan(before)
    expect(valueOf(samples, 'ninefold_store_transaction_seconds_count')).toBeGreaterThanOrEqual(after)
    expect(valueOf(samples, 'ninefold_store_up')).toBe(1)
    expect(valueOf(samples, 'ninefold_store_waiting')).toBe(0)
    expect(valueOf(samples, 'ninefold_work_pending')).toBe(0)
    expect(valueOf(samples, 'ninefold_work_oldest_pending_seconds')).toBe(0)
    // A request ends a moment after the client has its response.
    await expect.poll(async () => valueOf(await scrape(server), 'ninefold_http_in_work')).toBe(0)
    expect(valueOf(samples, 'ninefold_http_in_work_limit')).toBe(1000)
    expect(valueOf(samples, 'ninefold_http_connections')).toBeGreaterThan(0)
    expect(samples.map(({ name }) => name)).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  it('has as many series after a hundred different paths as after one', async () => {
    const { server, call } = await served()
    await call('/nope')
    await scrape(server)
    const before = await scrape(server)
    const paths = Array.from({ length: 100 }, (_, index) => `/sample/v1/nope-${index}?q=${index}`)
    for (const path of paths) await call(path)
    const own = (samples: readonly Read[]): number => samples.filter(({ name }) => name.startsWith('ninefold_')).length
    expect(own(await scrape(server))).toBe(own(before))
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ['X-Forwarded-For', { 'x-forwarded-for': '127.0.0.1' }],
    ['an empty X-Forwarded-For', { 'x-forwarded-for': '' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'cloud.example' }],
    ['Forwarded', { forwarded: 'for=127.0.0.1' }],
    ['Via', { via: '1.1 proxy' }],
    ['X-Real-IP', { 'x-real-ip': '::1' }],
  ])('is hidden from requests through a proxy with %s', async (_name, headers) => {
    const { server } = await served()
    const answer = await fetch(`${server.url}/metrics`, { headers })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ details: [{ reason: 'ROUTE_NOT_FOUND', domain: 'ninefold' }] })
  })

  it('is visible to every caller when it is public', async () => {
    const { server } = await served({ isPublic: true })
    expect((await fetch(`${server.url}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(200)
  })

  it.each(['127.0.0.1', '127.0.0.2', '::1'])(
    'is visible to %s on a listener of both kinds of addresses',
    async host => {
      const { server } = await served({ host: '::' })
      const { port } = new URL(server.url)
      const status = await new Promise<number | undefined>((resolve, reject) => {
        request({ host, port, path: '/metrics', agent: false }, answer => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
    },
  )
})
