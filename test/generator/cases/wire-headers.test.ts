import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFolder, repository } from '../generation.ts'
import { connected, type Wire } from './wire.ts'

const cookies = ['a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/', 'b=2; Path=/']

describe('a list of Set-Cookie', () => {
  let wire: Wire
  beforeAll(async () => void (wire = await connected('set-cookie-list.yaml', join(repository, 'test/cases/openapi-2'))))
  afterAll(() => removeFolder(wire.folder))

  test.each([[cookies], [cookies.slice(1)]])('arrives item by item: %j', async list => {
    const answer = { status: 200, body: { ok: true }, headers: { 'Set-Cookie': list, 'X-Rate-Limit': 5 } }
    expect(await wire.answered('login', {}, answer)).toEqual(answer)
  })

  test('is absent if no cookie was sent', async () => {
    const answer = { status: 200, body: { ok: true }, headers: {} }
    expect(await wire.answered('login', {}, answer)).toEqual(answer)
  })

  test('is a line for each item, whatever client reads it', async () => {
    await wire.answered('login', {}, { status: 200, body: {}, headers: { 'Set-Cookie': cookies } })
    const answer = await wire.host(new Request('http://service.test/login', { method: 'POST' }))
    expect(answer.headers.getSetCookie()).toEqual(cookies)
  })
})
