import { describe, expect, test } from 'vitest'
import { faultsOf, hosts } from './hosted.ts'
import { mediaService } from './service.ts'

const form = new FormData()
form.append('file', new File(['A'], 'a.bin', { type: 'application/octet-stream' }))

describe.each(hosts)('a body of several media types over %s', (_name, host) => {
  const serve = async (options: Parameters<typeof mediaService>[0] = {}) => {
    const hosted = await host(mediaService(options).dispatch)
    return { send: hosted.send, [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose]() }
  }

  test.each<[sent: string | undefined, body: BodyInit, contentType: string, expected: unknown]>([
    ['application/json; charset=utf-8', '{"url":"u"}', 'application/json', { url: 'u', retries: 3 }],
    ['application/x-www-form-urlencoded', 'url=u&retries=1', 'application/x-www-form-urlencoded', { url: 'u', retries: 1 }],
    [undefined, form, 'multipart/form-data', { name: 'a.bin', type: 'application/octet-stream', bytes: [65], isFile: true }],
    ['Text/Plain', '{}', 'text/plain', '{}'],
    ['text/plain', '', 'text/plain', ''],
    ['image/PNG', new Uint8Array([0, 255]), 'image/png', [0, 255]],
    ['image/svg+xml;x=y', '<a/>', 'image/svg+xml', [60, 97, 47, 62]],
  ])('%s is distinguished', async (sent, body, contentType, expected) => {
    await using served = await serve()
    const answer = await served.send('POST', '/uploads', { body, ...(sent && { headers: { 'content-type': sent } }) })
    expect([answer.status, await answer.json()]).toEqual([200, { contentType, body: expected }])
  }) // prettier-ignore

  test.each<[sent: string, body: string, faults: Record<string, string>]>([
    ['application/json', '{"file":"x"}', { url: 'is required' }],
    ['application/json', '', { body: 'is required' }],
    ['application/json', '{', { body: 'must be valid JSON' }],
    ['application/x-www-form-urlencoded', 'url=u&retries=x', { retries: 'must be an integer' }],
    ['text/plain', 'more than ten', { body: 'must have at most 10 characters' }],
    ['multipart/form-data; boundary=b', '--b--\r\n', { file: 'is required' }],
  ])('%s is checked by its own schema: %s', async (sent, body, faults) => {
    await using served = await serve()
    const answer = await served.send('POST', '/uploads', { body, headers: { 'content-type': sent } })
    expect([answer.status, await faultsOf(answer)]).toEqual([400, faults])
  })

  test.each(['text/csv', 'image', 'application/jsonx', 'application/json, text/csv', ''])(
    '"%s" is none of the declared types',
    async sent => {
      await using served = await serve({ unsupportedMediaTypeStatus: 415 })
      const body = new Uint8Array([0x7b, 0x7d])
      const answer = await served.send('POST', '/uploads', { body, headers: { 'content-type': sent } })
      expect(answer.status).toBe(415)
      expect(await faultsOf(answer)).toEqual({
        body: 'must have the content type application/json or application/x-www-form-urlencoded or multipart/form-data or text/plain or image/*',
      })
    },
  )

  test('a missing body is reported', async () => {
    await using served = await serve()
    expect(await faultsOf(await served.send('POST', '/uploads'))).toEqual({ body: 'is required' })
  })
})
