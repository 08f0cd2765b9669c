import { describe, expect, it } from 'vitest'
import { owned } from '../../../runtime/media.ts'
import type { Dispatch, WireRequest } from '../../../runtime/wire.ts'
import { inParts } from '../../../server/http/answer-parts.ts'
import { overNode } from '../../runtime/media/hosted.ts'

const megabyte = 1024 * 1024

const bytesOf = (length: number): Uint8Array<ArrayBuffer> => Uint8Array.from({ length }, (_, i) => i % 251)

const answering =
  (body: Uint8Array<ArrayBuffer>): Dispatch =>
  async () => ({ status: 200, headers: {}, body })

const get: WireRequest = {
  method: 'GET',
  target: '/',
  headers: {},
  body: undefined,
  signal: new AbortController().signal,
  clientAddress: '',
}

/** Returns the reader of the stream in which an answer is sent. */
async function readerOf(body: Uint8Array<ArrayBuffer>): Promise<ReadableStreamBYOBReader> {
  const answer = await inParts(answering(body))(get)
  if (!(answer.body instanceof ReadableStream)) throw new Error('the answer is no stream')
  return answer.body.getReader({ mode: 'byob' })
}

describe('a long answer', () => {
  it.each([262_145, megabyte, 3 * megabyte + 7])('of %i bytes arrives whole, with its length', async length => {
    const expected = bytesOf(length)
    await using host = await overNode(inParts(answering(bytesOf(length))))
    const response = await host.send('GET', '/')
    expect(response.headers.get('content-length')).toBe(String(length))
    expect(Buffer.from(await response.arrayBuffer()).equals(expected)).toBe(true)
  })

  it('gives other work of the event loop a turn between two parts', async () => {
    const reader = await readerOf(bytesOf(4 * megabyte))
    let turns = 0
    let isRead = false
    const count = (): void => {
      turns += 1
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    let parts = 0
    while (!(await reader.read(new Uint8Array(262_144))).done) parts += 1
    isRead = true
    expect(parts).toBe(16)
    expect(turns).toBeGreaterThanOrEqual(parts)
  })

  it('releases its memory with the last part, and keeps memory that others own', async () => {
    const [released, kept] = [owned(bytesOf(megabyte)), bytesOf(megabyte)]
    for (const bytes of [released, kept]) {
      const reader = await readerOf(bytes)
      let isDone = false
      while (!isDone) isDone = (await reader.read(new Uint8Array(262_144))).done
    }
    expect([released.buffer.detached, kept.buffer.detached]).toEqual([true, false])
  })

  it('releases its memory when the caller leaves, also while a part is being filled', async () => {
    const bytes = owned(bytesOf(4 * megabyte))
    const reader = await readerOf(bytes)
    await reader.read(new Uint8Array(262_144))
    const pending = reader.read(new Uint8Array(262_144))
    await reader.cancel()
    expect((await pending).done).toBe(true)
    expect(bytes.buffer.detached).toBe(true)
  })

  it('has a length and no body for HEAD', async () => {
    await using host = await overNode(inParts(answering(bytesOf(megabyte))))
    const response = await host.send('HEAD', '/')
    expect(response.headers.get('content-length')).toBe(String(megabyte))
    expect((await response.arrayBuffer()).byteLength).toBe(0)
  })
})

it('leaves short answers, and answers that are streams or texts, as they are', async () => {
  for (const body of [bytesOf(262_144), 'text', new ReadableStream<Uint8Array<ArrayBuffer>>(), undefined]) {
    const answer = { status: 200, headers: {}, ...(body !== undefined && { body }) }
    expect(await inParts(async () => answer)(get)).toBe(answer)
  }
})
