import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testServer } from '../http/harness.ts'
import { testFolder } from '../store/harness.ts'
import { dataFolder } from '../../e2e/served.ts'
import { depotArea, depotPlane, depotWatch, type DepotWatch } from './depot.ts'

const mebibyte = 1_048_576
const large = 200 * mebibyte
/** The allowed growth of the server's memory in bytes during a transfer of a much larger body. */
const growth = 64 * mebibyte
/** A number of bytes that exceeds the kernel's buffers at both ends of a connection. */
const buffered = 40 * mebibyte

describe('a large transfer through a plane', () => {
  const folder = dataFolder()
  const program = fileURLToPath(new URL('depot-server.ts', import.meta.url))
  const child = spawn(process.execPath, [program, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  let url: string
  /** The peak memory of the server in bytes during transfers of a quarter of the size. */
  let usual: number

  beforeAll(async () => {
    url = await new Promise<string>((resolve, reject) => {
      child.once('exit', code => reject(new Error(`the server ended with ${code}`)))
      createInterface(child.stdout).on('line', line => {
        const [, found] = /^listens on (http:\S+)$/.exec(line) ?? []
        if (found !== undefined) resolve(found)
      })
    })
    // The garbage collector frees buffers only sometimes, so the peak depends on the machine; the peak must not depend
    // on the size of the transfer.
    usual = await peakDuring(async () => {
      await download(large / 4)
      await upload(large / 4, false)
      await upload(large / 4, true)
    })
  })
  afterAll(async () => {
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    await ended
    folder.remove()
  })

  const memory = async (): Promise<number> => Number(await (await fetch(`${url}/v2/_memory`)).text())

  /** Runs `transfer`, and returns the peak memory of the server in bytes during the transfer. */
  async function peakDuring(transfer: () => Promise<void>): Promise<number> {
    let most = await memory()
    const over = new AbortController()
    const looking = (async () => {
      while (!over.signal.aborted) most = Math.max(most, await memory())
    })()
    await transfer()
    over.abort()
    await looking
    return Math.max(most, await memory())
  }

  async function download(size: number): Promise<void> {
    const answer = await fetch(`${url}/v2/team/app/blobs/${size}`)
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += chunk.length
    expect([answer.status, answer.headers.get('content-length'), bytes]).toEqual([200, String(size), size])
  }

  async function upload(size: number, isChunked: boolean): Promise<void> {
    const headers = isChunked ? {} : { 'content-length': size }
    const req = request(`${url}/v2/team/app/blobs/uploads/1`, { method: 'PUT', headers })
    const answered: Promise<IncomingMessage[]> = once(req, 'response')
    const piece = new Uint8Array(mebibyte)
    for (let sent = 0; sent < size; sent += piece.length) {
      if (!req.write(piece)) await once(req, 'drain')
    }
    req.end()
    const [answer] = await answered
    expect([answer?.statusCode, answer?.headers.location]).toEqual([201, `/v2/team/app/blobs/${size}`])
    answer?.resume()
  }

  it.each([
    ['a download', () => download(large)],
    ['an upload that says its length', () => upload(large, false)],
    ['an upload in chunks', () => upload(large, true)],
  ])('does not stay in memory: %s', async (_, transfer) => {
    expect((await peakDuring(transfer)) - usual).toBeLessThan(growth)
  })
})

async function served(): Promise<{ readonly watch: DepotWatch; readonly open: () => Promise<Socket> }> {
  const watch = depotWatch()
  const { url } = await testServer([depotArea(() => [depotPlane(watch)])], testFolder())
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  return { watch, open }
}

const get = `GET /v2/a/blobs/${large} HTTP/1.1\r\nhost: x\r\n\r\n`
const put = `PUT /v2/a/blobs/uploads/1 HTTP/1.1\r\nhost: x\r\ncontent-length: ${large}\r\n\r\n`

/** Waits until a number is positive and unchanged for 100 checks; returns the number. */
async function settled(read: () => number): Promise<number> {
  let before = -1
  let same = 0
  while (same < 100) {
    await new Promise(resolve => setTimeout(resolve, 2))
    same = read() === before && before > 0 ? same + 1 : 0
    before = read()
  }
  return before
}

describe('a slow end of a stream', () => {
  it('stops the source of a download', async () => {
    const { watch, open } = await served()
    const socket = await open()
    socket.pause().write(get)
    const first = await settled(() => watch.pulled)
    expect(first).toBeLessThan(buffered)
    let read = 0
    socket.on('data', chunk => {
      read += chunk.length
      if (read > 100 * mebibyte) socket.pause()
    })
    socket.resume()
    await expect.poll(() => read).toBeGreaterThan(100 * mebibyte)
    expect((await settled(() => watch.pulled)) - read).toBeLessThan(buffered)
    expect(watch.left).toBe(0)
  })

  it('stops the sender of an upload', async () => {
    const { watch, open } = await served()
    const released = Promise.withResolvers<void>()
    watch.gate = () => released.promise
    const socket = await open()
    socket.write(put)
    const piece = new Uint8Array(65_536)
    let sent = 0
    const send = (): void => {
      sent += piece.length
      if (sent < large) socket.write(piece, send)
    }
    socket.write(piece, send)
    expect(await settled(() => sent)).toBeLessThan(buffered)
    expect(watch.taken).toBeLessThan(mebibyte)
    released.resolve()
    const [answer]: Buffer[] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /)
    expect(watch.taken).toBe(large)
  })
})

describe('a connection that is cut', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closed', socket => socket.destroy()],
    ['reset', socket => socket.resetAndDestroy()],
  ])('during a download, and %s, closes the source', async (_, cut) => {
    const { watch, open } = await served()
    const socket = await open()
    socket.write(get)
    await once(socket, 'data')
    cut(socket)
    await expect.poll(() => watch.left).toBe(1)
    expect(watch.pulled).toBeLessThan(large)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['closed', socket => socket.destroy()],
    ['reset', socket => socket.resetAndDestroy()],
    ['half closed', socket => void socket.end()],
  ])('during an upload, and %s, aborts its call', async (_, cut) => {
    const { watch, open } = await served()
    const socket = await open()
    socket.write(put)
    socket.write(new Uint8Array(mebibyte))
    await expect.poll(() => watch.taken).toBe(mebibyte)
    cut(socket)
    await expect.poll(() => watch.signals[0]?.aborted).toBe(true)
  })
})
