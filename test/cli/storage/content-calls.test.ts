import { once } from 'node:events'
import { truncateSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendContent } from '../../../cli/storage/content-calls.ts'
import { ContentFile } from '../../../cli/storage/content-file.ts'
import { testFolder } from '../../server/store/harness.ts'

const content = Buffer.from(Array.from({ length: 4e6 }, (_, i) => (i * 7919) % 251))
const part = { start: 1000, length: content.length - 1000 }

/** Returns a signed URL of a store that answers each request by the next of `listeners`, and then by the last one. */
async function storeOf(...listeners: RequestListener[]) {
  let asked = 0
  const server = createServer((request, response) => {
    listeners[Math.min(asked++, listeners.length - 1)]?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
  const signed = { url, headers: { 'x-signed': 'yes' } }
  return { asked: () => asked, askUrl: () => Promise.resolve(signed) }
}

/** Sends a part of a file, and returns the entity tag. */
function sendPart(askUrl: Parameters<typeof sendContent>[0], whileSent: (path: string) => void = () => {}) {
  const path = join(testFolder(), 'content')
  writeFileSync(path, content)
  return ContentFile.reading(path, file =>
    sendContent(askUrl, {
      length: part.length,
      chunks: () => {
        whileSent(path)
        return file.chunks(part)
      },
    }),
  )
}

describe('a sent part', () => {
  it('arrives whole with its headers, after answers that pass', async () => {
    const bodies: Buffer[] = []
    const refused: RequestListener = (request, response) => {
      request.resume()
      response.writeHead(503, { 'retry-after': '0' }).end('{}')
    }
    const cut: RequestListener = request => void request.once('data', () => request.destroy())
    const store = await storeOf(refused, cut, async (request, response) => {
      expect(request.headers).toMatchObject({ 'x-signed': 'yes', 'content-length': String(part.length) })
      bodies.push(await buffer(request))
      response.setHeader('etag', '"tag"').end()
    })
    expect(await sendPart(store.askUrl)).toBe('tag')
    expect(bodies.map(body => body.equals(content.subarray(part.start)))).toEqual([true])
    expect(store.asked()).toBe(3)
  })

  it('is refused by an answer that comes before the last byte', async () => {
    const store = await storeOf((_, response) => {
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'OBJECT_TOO_LARGE',
        domain: 'storage',
      }
      const body = { code: 3, message: 'too large', details: [info] }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    await expect(sendPart(store.askUrl)).rejects.toMatchObject({ reason: 'OBJECT_TOO_LARGE', message: 'too large' })
    expect(store.asked()).toBe(1)
  })

  it('is not repeated after its file became shorter', async () => {
    const store = await storeOf(request => void request.resume())
    await expect(sendPart(store.askUrl, path => truncateSync(path, 2000))).rejects.toThrow('changed while it was read')
    expect(store.asked()).toBeLessThanOrEqual(1)
  })

  it('follows no redirect', async () => {
    const store = await storeOf((request, response) => {
      request.resume()
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    await expect(sendPart(store.askUrl)).rejects.toMatchObject({ reason: 'HTTP_307' })
    expect(store.asked()).toBe(1)
  })
})
