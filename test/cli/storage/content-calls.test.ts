import { truncateSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as nextRead } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { receiveContent, sendContent } from '../../../cli/storage/content-calls.ts'
import { ContentFile } from '../../../cli/storage/content-file.ts'
import { listenLocally } from '../../listen-locally.ts'
import { testFolder } from '../../server/store/harness.ts'

const content = Buffer.from(Array.from({ length: 4e6 }, (_, i) => (i * 7919) % 251))
const part = { start: 1000, length: content.length - 1000 }

/** Returns a signed URL of a store that answers each request by the next of `listeners`, and then by the last one. */
async function storeOf(...listeners: RequestListener[]) {
  let asked = 0
  const server = createServer((request, response) => {
    listeners[Math.min(asked++, listeners.length - 1)]?.(request, response)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = await listenLocally(server)
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

  it('is not repeated after its file cannot be read', async () => {
    const store = await storeOf(request => void request.resume())
    const path = join(testFolder(), 'content')
    writeFileSync(path, content)
    const closed = await ContentFile.reading(path, file => Promise.resolve(file))
    const sent = sendContent(store.askUrl, { length: part.length, chunks: () => closed.chunks(part) })
    await expect(sent).rejects.toThrow('content cannot be read')
    expect(store.asked()).toBeLessThanOrEqual(1)
  })

  it('is not repeated after a pause that is too long', async () => {
    const store = await storeOf((request, response) => {
      request.resume()
      response.writeHead(429, { 'retry-after': '100000' }).end()
    })
    await expect(sendPart(store.askUrl)).rejects.toMatchObject({ reason: 'HTTP_429' })
    expect(store.asked()).toBe(1)
  })

  it('is sent again to a store that changes the protocol', async () => {
    const store = await storeOf(
      (request, response) => {
        request.resume()
        response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end()
      },
      (request, response) => {
        request.resume()
        response.setHeader('etag', '"tag"').end()
      },
    )
    expect(await sendPart(store.askUrl)).toBe('tag')
    expect(store.asked()).toBe(2)
  })

  it.each([
    ['another protocol', { url: 'ftp://127.0.0.1/a', headers: {} }],
    ['no address', { url: 'a', headers: {} }],
    ['a header of two lines', { url: 'http://127.0.0.1:1/a', headers: { 'x-signed': 'a\nb' } }],
    ['a header with a space in its name', { url: 'http://127.0.0.1:1/a', headers: { 'x signed': 'a' } }],
  ])('is not sent to a signed URL with %s', async (_, signed) => {
    await expect(sendPart(() => Promise.resolve(signed))).rejects.toMatchObject({ reason: 'ANSWER_INVALID' })
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

describe('a received part', () => {
  const range = { etag: 'tag', start: part.start, length: 65_536 }
  const bytes = content.subarray(range.start, range.start + range.length)
  /** Takes the chunks of an attempt slowly, and returns their bytes. */
  const slowly = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const taken: Uint8Array[] = []
    for await (const chunk of chunks) {
      await nextRead(100)
      taken.push(chunk)
    }
    return Buffer.concat(taken)
  }

  it('is received from a store that closes the connection before its answer is read, after answers that pass', async () => {
    const refused: RequestListener = (_, response) => void response.writeHead(500).end()
    const short: RequestListener = (_, response) => void response.writeHead(206).end(bytes.subarray(1))
    const cut: RequestListener = (request, response) => {
      response.writeHead(206, { 'content-length': range.length }).write(bytes.subarray(0, 10))
      setImmediate(() => request.destroy())
    }
    const store = await storeOf(refused, short, cut, (request, response) => {
      expect(request.headers).toMatchObject({
        'x-signed': 'yes',
        range: `bytes=${range.start}-${range.start + range.length - 1}`,
        'if-match': '"tag"',
      })
      response.writeHead(206, { connection: 'close', 'content-length': range.length }).end(bytes)
    })
    expect((await receiveContent(store.askUrl, range, slowly)).equals(bytes)).toBe(true)
    expect(store.asked()).toBe(4)
  })

  it('is refused with an endless answer that is not the range', async () => {
    const endless: RequestListener = (_, response) => {
      response.writeHead(200)
      const send = (): void => void response.write(bytes, send)
      send()
    }
    const store = await storeOf(endless)
    await expect(receiveContent(store.askUrl, range, slowly)).rejects.toThrow('ignores ranges')
    await expect(sendPart(store.askUrl)).resolves.toBe('')
  })

  it('is refused, and a fault of its receiver is not repeated', async () => {
    const store = await storeOf(
      (_, response) => void response.writeHead(412).end(),
      (_, response) => void response.writeHead(206).end(bytes),
    )
    await expect(receiveContent(store.askUrl, range, slowly)).rejects.toMatchObject({ reason: 'HTTP_412' })
    const full = receiveContent(store.askUrl, range, () => Promise.reject(new Error('the disk is full')))
    await expect(full).rejects.toThrow('the disk is full')
    expect(store.asked()).toBe(2)
  })
})
