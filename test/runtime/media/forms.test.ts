import { describe, expect, test } from 'vitest'
import { faultsOf, hosts, pieces } from './hosted.ts'
import { mediaService } from './service.ts'

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const photo = (text: string, name = `${text}.png`, type = 'image/png') => new File([text], name, { type })

/** Makes a form; a list adds a part of the same name for each item. */
function formOf(members: Readonly<Record<string, string | File | readonly (string | File)[]>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) {
    for (const item of [value].flat()) form.append(name, item)
  }
  return form
}

const boundary = { 'content-type': 'multipart/form-data; boundary=b' }
const part = (head: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
const file = part('name="photos"; filename="a.png"', 'A')

describe.each(hosts)('forms over %s', (_name, host) => {
  const serve = async (options: Parameters<typeof mediaService>[0] = {}) => {
    const service = mediaService(options)
    const hosted = await host(service.dispatch)
    return { send: hosted.send, [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() }
  }

  test.each([
    ['grant_type=code&scope=a+b&ttl=5', { grant_type: 'code', scope: ['a', 'b'], ttl: 5 }],
    ['grant_type=code&scope=a%20b', { grant_type: 'code', scope: ['a', 'b'], ttl: 60 }],
    ['grant_type=code&tags=x%2Cy', { grant_type: 'code', tags: ['x,y'], ttl: 60 }],
    ['grant_type=code&tags=x&tags=y', { grant_type: 'code', tags: ['x', 'y'], ttl: 60 }],
    ['grant_type=code&claims=%7B%22a%22%3A1%7D', { grant_type: 'code', claims: { a: 1 }, ttl: 60 }],
    ['range[min]=1&grant_type=code&range%5Bmax%5D=2', { grant_type: 'code', range: { min: 1, max: 2 }, ttl: 60 }],
    ['grant_type=code&more=1&other=a&other=b', { grant_type: 'code', more: '1', other: ['a', 'b'], ttl: 60 }],
  ])('%s is parsed by the declared types and styles', async (body, expected) => {
    await using served = await serve()
    const answer = await served.send('POST', '/token', { body, headers: urlencoded })
    expect([answer.status, await answer.json()]).toEqual([200, expected])
  })

  test.each([
    ['', { grant_type: 'is required' }],
    ['grant_type=pin', { grant_type: expect.stringContaining('code') }],
    ['grant_type=code&ttl=x', { ttl: 'must be an integer' }],
    ['grant_type=code&grant_type=code', { grant_type: 'must be given once' }],
    ['grant_type=code&ttl=%zz', { ttl: expect.stringContaining('percent-encoding') }],
    ['grant_type=code&claims={', { claims: 'must be valid JSON' }],
    ['grant_type=code&claims={"a":"b"}', { 'claims.a': 'must be an integer' }],
    ['grant_type=code&more=%ff', { more: expect.stringContaining('percent-encoding') }],
  ])('%s reports the fault', async (body, faults) => {
    await using served = await serve()
    const answer = await served.send('POST', '/token', { body, headers: urlencoded })
    expect([answer.status, await faultsOf(answer)]).toEqual([400, faults])
  })

  test('__proto__ is an ordinary member', async () => {
    await using served = await serve()
    const body = 'grant_type=code&__proto__=a&constructor=b'
    const answer = await served.send('POST', '/token', { body, headers: urlencoded })
    expect(await answer.text()).toBe('{"grant_type":"code","__proto__":"a","constructor":"b","ttl":60}')
  })

  test('a body of another type is refused, with 415 if the options require it', async () => {
    await using served = await serve({ unsupportedMediaTypeStatus: 415 })
    const init = { body: '{"grant_type":"code"}', headers: { 'content-type': 'application/json' } }
    const answer = await served.send('POST', '/token', init)
    expect([answer.status, await faultsOf(answer)]).toEqual([
      415,
      { body: 'must have the content type application/x-www-form-urlencoded' },
    ])
  })

  test('a form of parts has text, numbers, JSON and files, in the sent order', async () => {
    await using served = await serve()
    const place = new Blob(['{"name":"Rom","lat":41.9}'], { type: 'application/json' })
    const body = formOf({ title: 'ä', year: '1999', photos: [photo('B'), photo('A', 'ü "1".png')], tags: 'only' })
    body.append('place', place)
    body.append('cover', photo('C', 'c.gif', 'image/gif'))
    const answer = await served.send('POST', '/albums?draft=true', { body })
    const shown = (name: string, type: string, byte: number) => ({ name, type, bytes: [byte], isFile: true })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        draft: true,
        title: 'ä',
        year: 1999,
        tags: ['only'],
        place: { name: 'Rom', lat: 41.9 },
        photos: [shown('B.png', 'image/png', 66), shown('ü "1".png', 'image/png', 65)],
        cover: shown('c.gif', 'image/gif', 67),
      },
    ])
  })

  test('a single file is still a list, and defaults are added', async () => {
    await using served = await serve()
    const answer = await served.send('POST', '/albums', { body: formOf({ title: 'a', photos: photo('A') }) })
    expect(await answer.json()).toMatchObject({ draft: false, year: 2000, photos: [{ name: 'A.png' }] })
  })

  const photos = [photo('A')]
  test.each<[what: string, body: FormData, faults: Record<string, unknown>]>([
    ['no photo', formOf({ title: 'a' }), { photos: 'is required' }],
    ['four photos', formOf({ title: 'a', photos: ['1', '2', '3', '4'].map(text => photo(text)) }), { photos: 'must have at most 3 items' }],
    ['a year that is not a number', formOf({ title: 'a', photos, year: 'abc' }), { year: 'must be an integer' }],
    ['a long title', formOf({ title: 'x'.repeat(11), photos }), { title: 'must have at most 10 characters' }],
    ['two titles', formOf({ title: ['a', 'b'], photos }), { title: 'must be given once' }],
    ['text for a photo', formOf({ title: 'a', photos: [photo('A'), 'x'] }), { 'photos[1]': 'must be a file, with a file name' }],
    ['a large photo', formOf({ title: 'a', photos: photo('x'.repeat(100_001)) }), { 'photos[0]': 'must have at most 100000 bytes' }],
    ['a cover of another type', formOf({ title: 'a', photos, cover: photo('C', 'c.svg', 'image/svg+xml') }), { cover: 'must have the content type image/png or image/gif' }],
    ['a place that is not JSON', formOf({ title: 'a', photos, place: '{' }), { place: 'must be valid JSON' }],
    ['a place without a name', formOf({ title: 'a', photos, place: '{}' }), { 'place.name': 'is required' }],
    ['everything', formOf({ year: '1.5', tags: 'a' }), { title: 'is required', photos: 'is required', year: 'must be an integer' }],
  ])('%s is refused at its field', async (_what, body, faults) => {
    await using served = await serve()
    const answer = await served.send('POST', '/albums', { body })
    expect([answer.status, await faultsOf(answer)]).toEqual([400, faults])
  }) // prettier-ignore

  test.each<[what: string, type: string, body: string | Uint8Array<ArrayBuffer>, faults: Record<string, string>]>([
    ['no boundary', 'multipart/form-data', `${file}--b--`, { body: 'must have a boundary in its content type' }],
    ['another boundary', 'multipart/form-data; boundary=c', `${file}--b--`, { body: 'must be valid multipart/form-data' }],
    ['no end', boundary['content-type'], file, { body: 'must be valid multipart/form-data' }],
    ['nothing', boundary['content-type'], '', { body: 'must be valid multipart/form-data' }],
    ['bare line feeds', boundary['content-type'], `${file}--b--`.replaceAll('\r', ''), { body: 'must be valid multipart/form-data' }],
    ['a part without a name', boundary['content-type'], `${part('filename="a"', 'A')}--b--`, { body: 'must be valid multipart/form-data' }],
    ['a name that is not a URI', boundary['content-type'], `${part("name=a; filename*=UTF-8''%e4", 'A')}--b--`, { body: 'must be valid multipart/form-data' }],
    ['text that is not UTF-8', boundary['content-type'], new Uint8Array(Buffer.from(`${file}${part('name="title"', '\xff')}--b--`, 'latin1')), { title: 'must be valid UTF-8' }],
  ])('%s is refused', async (_what, type, body, faults) => {
    await using served = await serve()
    const answer = await served.send('POST', '/albums', { body, headers: { 'content-type': type } })
    expect([answer.status, await faultsOf(answer)]).toEqual([400, faults])
  }) // prettier-ignore

  test('a thousand parts are parsed, one more is refused', async () => {
    await using served = await serve()
    const members = { title: 'a', photos: photo('A') }
    const thousand = formOf({ ...members, tags: Array.from({ length: 998 }, String) })
    const answer = await served.send('POST', '/albums', { body: thousand })
    expect((await answer.json()).tags).toHaveLength(998)
    thousand.append('tags', 'more')
    const refused = await served.send('POST', '/albums', { body: thousand })
    expect(await faultsOf(refused)).toEqual({ body: 'must have at most 1000 parts' })
  })

  test.each([
    ['parts hidden behind a second boundary', 'multipart/form-data; boundary=b; boundary=c'],
    ['parts hidden behind a quoted parameter', 'multipart/form-data; x="; boundary=c"; boundary=b'],
  ])('%s count against the limit', async (_what, type) => {
    await using served = await serve({ limits: { formParts: 3 } })
    const answer = await served.send('POST', '/albums', {
      body: `${file.repeat(5)}--b--`,
      headers: { 'content-type': type },
    })
    expect((await faultsOf(answer)).body).toMatch(/at most 3 parts|valid multipart/)
  })

  test('a form is refused as soon as it is too large, whatever its declared length', async () => {
    await using served = await serve({ limits: { formBytes: 1000 } })
    const large = `${part('name="photos"; filename="a"', 'x'.repeat(1000))}--b--`
    const tooLarge = { body: 'must have at most 1000 bytes' }
    const whole = await served.send('POST', '/albums', { body: large, headers: boundary })
    expect([whole.status, await faultsOf(whole)]).toEqual([400, tooLarge])
    const unsized = await served.send('POST', '/albums', {
      ...pieces(large.slice(0, 500), large.slice(500)),
      headers: boundary,
    })
    expect(await faultsOf(unsized)).toEqual(tooLarge)
  })
})
