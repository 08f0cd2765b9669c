import { describe, expect, expectTypeOf, test } from 'vitest'
import { createTransport } from '../../../runtime/transport.ts'
import { DocumentClient } from '../../golden/media-types/output/client.ts'
import type { Change, Row, RowInput, Tick } from '../../golden/media-types/output/types.ts'
import { listen } from '../listening.ts'
import { all, overNode } from './hosted.ts'
import { mediaService } from './service.ts'

const clientOf = (baseUrl: string) => new DocumentClient(createTransport({ baseUrl }))

/** Hosts the service, and returns it with a client. */
async function connected() {
  const service = mediaService()
  const hosted = await overNode(service.dispatch)
  return { service, client: clientOf(hosted.baseUrl), [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() }
}

const files = {
  photos: [new File(['B'], 'b.png', { type: 'image/png' }), new Blob(['A'], { type: 'image/png' })],
  cover: new File(['C'], 'c.png', { type: 'image/png' }),
}

describe('a client and a server of one document understand each other', () => {
  test('in forms of text', async () => {
    await using served = await connected()
    const body = {
      grant_type: 'code' as const,
      scope: ['a', 'b c'.replace(' ', '+')],
      tags: ['x,y', 'z&ä'],
      claims: { a: 1 },
      range: { min: 1 },
    }
    expect(await served.client.makeToken({ body })).toEqual({ ...body, ttl: 60 })
  })

  test('in forms of parts', async () => {
    await using served = await connected()
    const body = { ...files, title: 'ä "1"', place: { name: 'Rom', lat: 41.9 }, tags: [] }
    const { photos, cover, ...rest } = await served.client.addAlbum({ body })
    expect(rest).toEqual({ draft: false, title: 'ä "1"', year: 2000, place: { name: 'Rom', lat: 41.9 } })
    expect(photos).toEqual([
      { name: 'b.png', type: 'image/png', bytes: [66], isFile: true },
      { name: 'blob', type: 'image/png', bytes: [65], isFile: true },
    ])
    expect(cover).toMatchObject({ name: 'c.png' })
  })

  test('in a prepared form', async () => {
    await using served = await connected()
    const body = new FormData()
    body.append('title', 'a')
    body.append('photos', files.cover)
    expect(await served.client.addAlbum({ body })).toMatchObject({ title: 'a', photos: [{ name: 'c.png' }] })
  })

  test('in each of several media types', async () => {
    await using served = await connected()
    const { upload } = { upload: served.client.upload.bind(served.client) }
    const file = { name: 'c.png', type: 'image/png', bytes: [67], isFile: true }
    expect([
      await upload({ body: { contentType: 'application/json', body: { url: 'u' } } }),
      await upload({ body: { contentType: 'application/x-www-form-urlencoded', body: { url: 'a&b', retries: 1 } } }),
      await upload({ body: { contentType: 'multipart/form-data', body: { file: files.cover } } }),
      await upload({ body: { contentType: 'text/plain', body: '{}' } }),
      await upload({ body: { contentType: 'image/webp', body: new Uint8Array([0, 255]) } }),
    ]).toEqual([
      { contentType: 'application/json', body: { url: 'u', retries: 3 } },
      { contentType: 'application/x-www-form-urlencoded', body: { url: 'a&b', retries: 1 } },
      { contentType: 'multipart/form-data', body: file },
      { contentType: 'text/plain', body: '{}' },
      { contentType: 'image/webp', body: [0, 255] },
    ])
  })

  test('in items of a request, or without items', async () => {
    await using served = await connected()
    async function* rows(): AsyncGenerator<RowInput> {
      for (let n = 0; n < 3; n += 1) yield { n, unit: '€\n' }
    }
    const { rows: found } = await served.client.importRows({ body: rows() })
    expect(found).toEqual([0, 1, 2].map(n => ({ n, unit: '€\n' })))
    expect(await served.client.importRows({})).toEqual({ rows: 'none' })
  })

  test('in items of a response, of every kind', async () => {
    await using served = await connected()
    const { client } = served
    const rows = await client.exportRows()
    const ticks = await client.readTicks()
    const log = await client.readLog()
    const changes = await client.readChanges()
    expectTypeOf(rows).toEqualTypeOf<AsyncIterable<Row>>()
    expectTypeOf(ticks).toEqualTypeOf<AsyncIterable<Tick>>()
    expectTypeOf(log.body).toEqualTypeOf<AsyncIterable<string>>()
    expectTypeOf(changes).toEqualTypeOf<AsyncIterable<Change>>()
    expect(await all(rows)).toEqual([{ n: 1, unit: 'ä\n€' }, { n: 2 }])
    expect(await all(ticks)).toEqual([{ n: 1, unit: 'ä\n€' }, { n: 2 }])
    expect(await all(log.body)).toEqual(['one\ntwo', '', ' three'])
    expect(log.headers).toEqual({ 'X-Log': 'yes' })
    expect(await all(changes)).toEqual([
      { id: '7', event: 'made', retry: 10, data: { n: 1 } },
      { id: '7', data: { n: 2 } },
    ])
  })

  test('in faults, which name the items and parts', async () => {
    await using served = await connected()
    async function* rows(): AsyncGenerator<RowInput> {
      yield { n: 1 }
      yield { n: -1 }
    }
    const refused = { reason: 'FIELD_INVALID' }
    await expect(served.client.importRows({ body: rows() })).rejects.toMatchObject({
      ...refused,
      details: { badRequest: [{ field: 'body[1].n', description: 'must be at least 0' }] },
    })
    await expect(served.client.addAlbum({ body: { title: 'a', photos: [] } })).rejects.toMatchObject({
      ...refused,
      details: { badRequest: [{ field: 'photos', description: 'is required' }] },
    })
  })
})

describe('a client', () => {
  test('receives the first item before the second exists', async () => {
    await using served = await connected()
    const items = (await served.client.readTicks({ how: 'gated' }))[Symbol.asyncIterator]()
    expect(await items.next()).toMatchObject({ value: { n: 1 } })
    served.service.gate.open()
    expect(await items.next()).toMatchObject({ value: { n: 2 } })
    expect((await items.next()).done).toBe(true)
  })

  test('that stops reading a stream ends its producer', async () => {
    await using served = await connected()
    for await (const { n } of await served.client.exportRows({ how: 'endless' })) if (n === 3) break
    await served.service.producer.ended
    expect(served.service.producer.produced).toBeLessThan(1000)
  })

  test('whose signal aborts ends the stream with the reason, and the producer', async () => {
    await using served = await connected()
    const controller = new AbortController()
    const rows = await served.client.exportRows({ how: 'endless' }, { signal: controller.signal })
    const reason = new Error('enough')
    const reading = async () => {
      for await (const { n } of rows) if (n === 3) controller.abort(reason)
    }
    await expect(reading()).rejects.toBe(reason)
    await served.service.producer.ended
  })

  test('notices a stream that breaks off', async () => {
    await using served = await connected()
    const rows = await served.client.exportRows({ how: 'broken' })
    await expect(all(rows)).rejects.toMatchObject({ reason: 'CONNECTION_FAILED' })
  })

  /** Makes an endless source of rows; `ended` resolves when the reader stops. */
  function endlessRows(first: number) {
    let isEnded = (): void => {}
    const ended = new Promise<void>(resolve => (isEnded = resolve))
    const source = { pulled: 0, ended, rows: rows() }
    async function* rows(): AsyncGenerator<RowInput> {
      try {
        yield { n: first }
        for (;;) yield { n: (source.pulled += 1), unit: 'x'.repeat(65_536) }
      } finally {
        isEnded()
      }
    }
    return source
  }

  test('whose signal aborts ends the source of its body, which was read no faster than the body was sent', async () => {
    await using served = await connected()
    const source = endlessRows(1)
    const controller = new AbortController()
    const call = served.client.importRows({ body: source.rows }, { signal: controller.signal })
    await served.service.taken
    controller.abort()
    await expect(call).rejects.toThrow(/abort/)
    await source.ended
    expect(source.pulled).toBeLessThan(1000)
    expect(await served.service.logged()).toMatchObject({ operationId: 'importRows', reason: 'CANCELLED' })
  })

  test('that received an error before the end of its body ends the source', async () => {
    await using served = await connected()
    const source = endlessRows(-1)
    await expect(served.client.importRows({ body: source.rows })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    await source.ended
  })

  test('sets no content type on a form of parts, nor without a body', async () => {
    await using server = await listen((_request, response) => void response.setHeader('content-type', 'application/json').end('{}'))
    const client = clientOf(server.baseUrl)
    await client.addAlbum({ body: { title: 'a', photos: files.photos } })
    await client.importRows({})
    await client.makeToken({ body: { grant_type: 'code', scope: ['a', 'b'], ttl: 5 } })
    const [album, rows, token] = server.received
    expect(album?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=\S+$/)
    expect(String(album?.body).match(/name="photos"; filename="(b\.png|blob)"/g)).toHaveLength(2)
    expect(rows?.headers['content-type']).toBeUndefined()
    expect(token?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(String(token?.body)).toBe('grant_type=code&scope=a%20b&ttl=5')
  }) // prettier-ignore

  test('gets an error for a body that cannot be sent', async () => {
    const client = clientOf('http://127.0.0.1:1')
    const body: object = { contentType: 'text/csv', body: 'a,b' }
    await expect(client.upload(Object.assign({ body: { contentType: 'text/plain', body: '' } as const }, { body }))).rejects.toThrow(
      'the content type "text/csv" of the body is not declared',
    )
  }) // prettier-ignore
})
