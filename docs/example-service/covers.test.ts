import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { ApiError } from './generated/runtime/errors.ts'
import type { Bytes } from './generated/runtime/body.ts'
import { apiKey, serveLibrary, type ServedLibrary } from './serving.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index)
const chunk = new Uint8Array(65_536).fill(7)

/** A stream of equal chunks, made as they are asked for. */
function chunks(count: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let made = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (made === count) return controller.close()
        made += 1
        controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
}

async function newBook({ librarian }: ServedLibrary): Promise<string> {
  const { body } = await librarian.createBook({ body: { title: 'Momo', medium: { type: 'print', pages: 304 } } })
  return body.id
}

async function digest(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk)
  return hash.digest('hex')
}

describe('a cover', () => {
  it.each<[string, () => Bytes]>([
    ['an array of bytes', () => everyByte],
    ['a blob', () => new Blob([everyByte])],
    ['a stream', () => new Blob([everyByte]).stream()],
    ['nothing', () => new Uint8Array()],
  ])('that is uploaded as %s is downloaded byte for byte', async (_, body) => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    const expected = new Uint8Array(await new Response(body()).arrayBuffer())
    const reply = await library.librarian.uploadCover({ bookId, body: body() })
    expect(reply).toEqual({ status: 201, headers: { Location: `/books/${bookId}/cover` } })
    const cover = await library.visitor.downloadCover({ bookId })
    expect(new Uint8Array(await new Response(cover.body).arrayBuffer())).toEqual(expected)
    expect(cover).toMatchObject({
      status: 200,
      headers: { 'Content-Length': expected.length, 'Last-Modified': expect.stringMatching(/ GMT$/) },
    })
  })

  it('has the type, the length and the date that the document declares', async () => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    await library.librarian.uploadCover({ bookId, body: everyByte })
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(`${library.url}/books/${bookId}/cover`, { method })
      expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
        200,
        'image/png',
        '256',
      ])
      expect((await response.arrayBuffer()).byteLength).toBe(method === 'GET' ? 256 : 0)
    }
  })

  it('takes the place of the one before, which is answered 204', async () => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    await library.librarian.uploadCover({ bookId, body: everyByte })
    expect((await library.librarian.uploadCover({ bookId, body: new Blob(['new']) })).status).toBe(204)
    const response = await fetch(`${library.url}/books/${bookId}/cover`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', 'x-api-key': apiKey },
      body: 'newer',
    })
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([204, null, ''])
    const { body } = await library.visitor.downloadCover({ bookId })
    expect(await new Response(body).text()).toBe('newer')
  })

  it('goes with its book', async () => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    await library.librarian.uploadCover({ bookId, body: everyByte })
    await library.librarian.deleteBook({ bookId })
    expect(await readdir(library.folder)).toEqual([])
  })

  it('that was never uploaded is answered 404', async () => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    await expect(library.visitor.downloadCover({ bookId })).rejects.toMatchObject({
      response: { status: 404, body: { type: '/problems/no-cover' } },
    })
  })

  it('of exactly the bytes that are allowed is kept, of one more is answered 413 and none is', async () => {
    await using library = await serveLibrary(256)
    const bookId = await newBook(library)
    expect((await library.librarian.uploadCover({ bookId, body: everyByte })).status).toBe(201)
    const larger = library.librarian.uploadCover({ bookId, body: new Blob([everyByte, 'x']) })
    await expect(larger).rejects.toBeInstanceOf(ApiError)
    await expect(larger).rejects.toMatchObject({
      message: 'a cover has at most 256 bytes',
      response: { status: 413, body: { type: '/problems/cover-too-large', title: 'Payload Too Large', status: 413 } },
    })
    expect(await readdir(library.folder)).toEqual([`${bookId}.png`])
    const { body } = await library.visitor.downloadCover({ bookId })
    expect(new Uint8Array(await new Response(body).arrayBuffer())).toEqual(everyByte)
  })
})

describe('a large cover', () => {
  const count = 1024

  it('goes in and out as a stream, byte for byte', async () => {
    await using library = await serveLibrary(count * chunk.length)
    const bookId = await newBook(library)
    await library.librarian.uploadCover({ bookId, body: chunks(count) })
    const { body, headers } = await library.visitor.downloadCover({ bookId })
    expect(headers['Content-Length']).toBe(count * chunk.length)
    expect(await digest(body)).toBe(await digest(chunks(count)))
  })

  it('is sent no faster than it is read: who leaves early was not sent all', async () => {
    await using library = await serveLibrary(count * chunk.length)
    const bookId = await newBook(library)
    await library.librarian.uploadCover({ bookId, body: chunks(count) })
    const logged = library.logged('downloadCover')
    const { body } = await library.visitor.downloadCover({ bookId })
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect(await logged).toMatchObject({ status: 200, reason: 'CANCELLED' })
  })

  it('that never ends is answered 413 as soon as it is too large', async () => {
    await using library = await serveLibrary(chunk.length)
    const bookId = await newBook(library)
    const upload = library.librarian.uploadCover({ bookId, body: chunks(Infinity) })
    await expect(upload).rejects.toMatchObject({ response: { status: 413 } })
    expect(await readdir(library.folder)).toEqual([])
  })

  it('whose sender goes away leaves nothing', async () => {
    await using library = await serveLibrary()
    const bookId = await newBook(library)
    const logged = library.logged('uploadCover')
    const controller = new AbortController()
    const stalled = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: stream => stream.enqueue(everyByte) })
    const upload = library.librarian.uploadCover({ bookId, body: stalled }, { signal: controller.signal })
    await arrived(library)
    controller.abort(new Error('changed my mind'))
    await expect(upload).rejects.toThrow('changed my mind')
    expect(await logged).toMatchObject({ reason: 'CANCELLED' })
    expect(await readdir(library.folder)).toEqual([])
  })
})

/** Resolves when a cover has begun to arrive. */
async function arrived({ folder }: ServedLibrary): Promise<void> {
  while ((await readdir(folder)).length === 0) await new Promise(resolve => setImmediate(resolve))
}
