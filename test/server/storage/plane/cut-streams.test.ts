import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctorFindings } from '../../../areas/doctor.ts'
import { seeded } from '../../../areas/random.ts'
import { answersOf, servedPlane, targetOf, type ServedPlane } from './served-plane.ts'

/** The number of streams that are open together; a cut stream is one of a quarter of the number. */
const streams = Number(process.env['NINEFOLD_STORAGE_STREAMS'] ?? 200)

let plane: ServedPlane
let host: string
let ends: (() => void | Promise<void>)[] = []

beforeAll(async () => {
  plane = await servedPlane(end => void ends.push(end))
  host = new URL(plane.url).host
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

const putHead = (url: string, ...headers: readonly string[]): string =>
  `${[`PUT ${targetOf(url)} HTTP/1.1`, `host: ${host}`, ...headers].join('\r\n')}\r\n\r\n`

const getHead = (url: string): string => `GET ${targetOf(url)} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`

/** Waits until no upload has a file, and no content is open. */
async function expectNothingLeft(): Promise<void> {
  await expect.poll(() => [plane.temporary(), plane.openFiles()]).toEqual([[], 0])
}

const size = 3_000_000
const content = new Uint8Array(size).map((_, i) => (i * 7) % 251)

/** Cuts an upload after `bytes` bytes of its body. */
async function cutUpload(url: string, bytes: number, isChunked: boolean): Promise<void> {
  const socket = await plane.open()
  socket.write(putHead(url, isChunked ? 'transfer-encoding: chunked' : `content-length: ${size}`))
  if (isChunked) socket.write(`${size.toString(16)}\r\n`)
  const sent = Promise.withResolvers<void>()
  socket.write(content.subarray(0, bytes), () => sent.resolve())
  await Promise.race([sent.promise, once(socket, 'close')])
  socket.destroy()
}

/** Cuts a download once `bytes` bytes of its answer have arrived. */
async function cutDownload(url: string, bytes: number): Promise<void> {
  const socket = await plane.open()
  socket.write(getHead(url))
  let read = 0
  for await (const chunk of socket) {
    read += Buffer.byteLength(chunk)
    if (read > bytes) break
  }
  socket.destroy()
}

/** An upload of `length` bytes, of which `sent` bytes are sent. */
interface OpenUpload {
  readonly socket: Socket
  sent: number
}

const length = 1000
const atOnce = 100

/**
 * Begins uploads that wait for their bytes. Each of them gets a byte whenever others have begun, because the server ends
 * an upload without a byte for a minute; and further uploads begin when those before are stored, because the server
 * refuses more than a thousand new requests at a time.
 */
async function openUploads(url: string): Promise<readonly OpenUpload[]> {
  const uploads: OpenUpload[] = []
  while (uploads.length < streams) {
    for (const upload of uploads) {
      upload.socket.write('x')
      upload.sent += 1
    }
    for (let i = 0; i < Math.min(atOnce, streams); i += 1) {
      const socket = await plane.open()
      socket.write(`${putHead(url, `content-length: ${length}`, 'connection: close')}x`)
      uploads.push({ socket, sent: 1 })
    }
    await expect.poll(() => plane.temporary().length).toBe(uploads.length)
  }
  return uploads
}

describe('streams', () => {
  it('that are cut at random bytes leave no file, no open file and no object', async () => {
    const random = seeded(23)
    await plane.put('whole', content)
    const read = (await plane.download('whole')).url
    const write = (await plane.upload('cut')).url
    const cuts = Array.from({ length: streams / 4 }, (_, i) => ({
      bytes: random.percent(20) ? random.below(3) : random.below(size - 1),
      kind: i % 3,
    }))
    const lane = async (): Promise<void> => {
      for (let next = cuts.pop(); next !== undefined; next = cuts.pop())
        await (next.kind === 0 ? cutDownload(read, next.bytes) : cutUpload(write, next.bytes, next.kind === 1))
    }
    await Promise.all(Array.from({ length: 6 }, lane))
    await expectNothingLeft()
    expect((await fetch((await plane.download('cut')).url)).status).toBe(404)
    expect(Buffer.from(await (await fetch(read)).bytes()).equals(Buffer.from(content))).toBe(true)
    expect(await doctorFindings(plane.place)).toEqual([])
  })

  it('that stay open let other callers in, end as they began, and leave nothing when they are cut', async () => {
    const { url } = await plane.upload('open')
    const sockets = await openUploads(url)
    expect(plane.temporary().length).toBe(streams)
    await plane.put('beside', 'hello')
    expect(await (await fetch((await plane.download('beside')).url)).text()).toBe('hello')
    const ending = sockets.slice(0, streams / 2)
    const answers = await Promise.all(
      ending.map(async ({ sent, socket }) => {
        socket.write('x'.repeat(length - sent))
        return text(socket)
      }),
    )
    expect(new Set(answers.flatMap(answersOf))).toEqual(new Set(['200']))
    for (const { socket } of sockets) socket.destroy()
    await expectNothingLeft()
    expect(await (await fetch((await plane.download('open')).url)).text()).toBe('x'.repeat(length))
    expect(await doctorFindings(plane.place)).toEqual([])
  })

  it('that are idle, or have a part of a request, take no turn of other callers', async () => {
    const { url } = await plane.download('beside')
    for (let opened = 0; opened < streams; opened += 1) {
      const socket = await plane.open()
      if (opened % 2 === 0) socket.write(getHead(url).slice(0, 40))
    }
    expect(await (await fetch(url)).text()).toBe('hello')
    await expectNothingLeft()
  })

  it('keep the bytes with which they began, while their object is replaced and deleted', async () => {
    await plane.put('read', content)
    const { url } = await plane.download('read')
    const begun = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const socket = await plane.open()
        socket.write(getHead(url))
        await once(socket, 'readable')
        return socket
      }),
    )
    await plane.put('read', 'other')
    await plane.api.storage.deleteObject({ ...plane.at, object: 'read' })
    for (const socket of begun) {
      const chunks: Buffer[] = []
      for await (const chunk of socket) chunks.push(Buffer.from(chunk))
      const answer = Buffer.concat(chunks)
      expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(Buffer.from(content))).toBe(true)
    }
    expect((await fetch(url)).status).toBe(404)
    await expectNothingLeft()
  })

  it.skipIf(streams < 1000)(
    'whose bodies stop for a minute are ended (NINEFOLD_STORAGE_STREAMS=1000 runs this for a minute)',
    async () => {
      const { url } = await plane.upload('slow')
      const socket = await plane.open()
      socket.write(`${putHead(url, 'content-length: 20', 'connection: close')}0123456789`)
      expect(answersOf(await text(socket))).toEqual(['408 FIELD_INVALID'])
      await expectNothingLeft()
    },
  )
})
