import { createServer, request as begin, type RequestListener } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { persistently, persistentTransport } from '../../../cli/storage/persistence.ts'
import { StorageClient } from '../../../output/storage/client.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { listenLocally } from '../../listen-locally.ts'
import { administrator } from '../../server/access/sign-in.ts'
import { afterTests } from '../../undo.ts'
import { ninefold } from '../command.ts'
import { servedBucket } from './served-bucket.ts'

const id = '00000000-0000-7000-8000-000000000001'
const at = { workspace: id, engine: 'native', bucket: id }

const done: RequestListener = (_, response) => response.setHeader('content-type', 'application/json').end('{}')
const overloaded: RequestListener = (_, response) => response.writeHead(503).end()
const cut: RequestListener = request => request.destroy()

/** Starts a server that answers each request by the next of `listeners`, and then by the last one. */
async function serverOf(...listeners: readonly RequestListener[]) {
  const keys: (string | string[] | undefined)[] = []
  const server = createServer((request, response) => {
    request.resume()
    listeners[Math.min(keys.length, listeners.length - 1)]?.(request, response)
    keys.push(request.headers['idempotency-key'])
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = await listenLocally(server)
  return { api: new StorageClient(persistentTransport(createTransport({ baseUrl, token: 't' }))), keys }
}

/** An answer of a server that refuses a call more often than a client alone repeats the call. */
const outage = (refuse: RequestListener): readonly RequestListener[] => Array.from({ length: 5 }, () => refuse)

describe('the calls of a command', () => {
  it.each([
    ['overloaded', [...outage(overloaded), done]],
    ['restarting', [done, ...outage(cut), done]],
  ])('are repeated to a server that is %s', async (_, listeners) => {
    const { api, keys } = await serverOf(...listeners)
    await api.listObjects(at)
    await api.listObjects(at)
    expect(keys.length).toBeGreaterThan(outage(cut).length)
  })

  it('have one key in all attempts if they change something', async () => {
    const { api, keys } = await serverOf(...outage(overloaded), done)
    await api.deleteObject({ ...at, object: 'a' })
    expect(keys).toHaveLength(6)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toBeTypeOf('string')
  })

  it('are not repeated without a key', async () => {
    const { api, keys } = await serverOf(overloaded)
    const signed = api.createPresignedDownloadUrl({ ...at, body: { object: 'a' } })
    await expect(signed).rejects.toMatchObject({ reason: 'HTTP_503' })
    expect(keys).toHaveLength(1)
  })

  it('are given up early at an address where no server has answered', async () => {
    const { api, keys } = await serverOf(cut)
    await expect(api.listObjects(at)).rejects.toMatchObject({ reason: 'CONNECTION_FAILED' })
    expect(keys.length).toBeLessThanOrEqual(8)
  })

  const quota: RequestListener = (_, response) => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'QUOTA_EXCEEDED', domain: 'storage' }
    const body = { code: 8, message: 'the quota is used up', details: [info] }
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  it('are not repeated after a quota is used up, and nor are transfers', async () => {
    const { api, keys } = await serverOf(quota)
    await expect(api.deleteObject({ ...at, object: 'a' })).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' })
    const sent = persistently(() => api.createPresignedDownloadUrl({ ...at, body: { object: 'a' } }))
    await expect(sent).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' })
    expect(keys).toHaveLength(2)
  })
})

it('copies and deletes many files at a time by a server that takes three at a time', async () => {
  const docs = await servedBucket(afterTests)
  let [running, refused] = [0, 0]
  const narrow = createServer((request, response) => {
    if (running >= 3 && request.url?.startsWith('/storage/')) {
      refused += 1
      request.resume()
      return void response.writeHead(503, { 'retry-after': '0' }).end()
    }
    running += 1
    response.on('close', () => (running -= 1))
    const { headers, method, url = '' } = request
    const on = begin(`${docs.server.url}${url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    on.on('error', () => response.destroy())
    request.pipe(on)
  })
  afterTests(() => {
    narrow.closeAllConnections()
    narrow.close()
  })
  const url = await listenLocally(narrow)
  await ninefold(docs.folder, ['login', '--url', url, '--email', administrator.email], `${administrator.password}\n`)
  mkdirSync(join(docs.folder, 'many'))
  for (let i = 0; i < 12; i += 1) writeFileSync(join(docs.folder, 'many', `file-${i}`), `content ${i}`)
  const run = (...words: readonly string[]) => docs.run(...words, '--parallel', '32')
  expect((await run('cp', '-r', 'many', 'nf://docs/many')).err).toContain('copied 12 files')
  expect((await run('rm', '-r', 'nf://docs/')).err).toBe('deleted 12 files\n')
  expect(refused).toBeGreaterThan(0)
})
