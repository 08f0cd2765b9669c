import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { ApiError } from '../../runtime/errors.ts'
import { iterate, iteratePages } from '../../runtime/iterate.ts'
import { toJson } from '../../runtime/media.ts'
import { toQuery } from '../../runtime/parameters/write.ts'
import { createTransport } from '../../runtime/transport.ts'
import { allOf } from '../all-of.ts'
import { json, listen } from './listening.ts'
import { route } from './routes.ts'

interface ClientCase {
  readonly id: string
  readonly group: string
  readonly words: string
  readonly responses: readonly { readonly items?: readonly string[]; readonly next?: string | null }[]
  readonly collected: readonly string[]
  readonly calls?: readonly Readonly<Record<string, string>>[]
}

const file: { readonly cases: readonly ClientCase[] } = JSON.parse(
  readFileSync('test/cases/aip/pagination.json', 'utf8'),
)
const cases = file.cases.filter(({ group }) => group === 'client')

interface ListRequest {
  readonly filter?: string
  readonly order_by?: string
  readonly page_size?: number
  readonly page_token?: string
}
interface ListResponse {
  readonly items?: string[]
  readonly next_page_token?: string | null
}
const parameters = (['filter', 'order_by', 'page_token'] as const).map(
  name => ({ name, in: 'query', type: 'string', write: toQuery }) as const,
)
const list = route<ListRequest, ListResponse>('GET', ['/v1/servers'], {
  parameters: [...parameters, { name: 'page_size', in: 'query', type: 'integer', write: toQuery }],
})

/** Starts and returns a server that responds with these pages in order, and then always with the last page. */
const paged = (pages: readonly ClientCase['responses'][number][]) => {
  let given = 0
  return listen((_, response) => {
    const { items, next } = pages[Math.min(given++, pages.length - 1)] ?? {}
    json(response, 200, { items, next_page_token: next })
  })
}

const queryOf = (target: string) => Object.fromEntries(new URL(target, 'http://localhost').searchParams)

describe('iterate', () => {
  test('runs every AIP case', () => expect(cases.length).toBe(6))

  test.each(cases)('$id $words', async ({ responses, collected, calls }) => {
    await using server = await paged(responses)
    const request = { filter: 'zone=a', order_by: 'name', page_size: 2 }
    const rows = await allOf(iterate(createTransport({ baseUrl: server.baseUrl }), list, 'items', request))
    expect(rows).toEqual(collected)
    expect(server.received.length).toBe(responses.length)
    if (calls) expect(server.received.map(({ target }) => queryOf(target))).toEqual(calls)
  })

  test('yields rows of the type in the response', () => {
    const rows = iterate(createTransport({ baseUrl: '' }), list, 'items', {})
    expectTypeOf(rows).toEqualTypeOf<AsyncGenerator<string, void, undefined>>()
  })

  test.each([
    ['one token again and again', ['a', 'a']],
    ['two tokens in turn', ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']],
    ['a circle after a while', ['a', 'b', 'c', 'd', 'e', 'c', 'd', 'e', 'c', 'd', 'e', 'c', 'd', 'e']],
  ])('ends with an error if the server returns %s', async (_, tokens) => {
    await using server = await paged(tokens.map(next => ({ items: ['row'], next })))
    const rows = allOf(iterate(createTransport({ baseUrl: server.baseUrl }), list, 'items', {}))
    await expect(rows).rejects.toMatchObject({
      reason: 'ANSWER_INVALID',
      message: 'madeOperation gave the same next_page_token twice',
    })
  })

  test('stops between pages when the signal aborts; earlier rows stay valid', async () => {
    await using server = await paged([
      { items: ['a'], next: 't1' },
      { items: ['b'], next: '' },
    ])
    const controller = new AbortController()
    const rows: string[] = []
    const walk = async () => {
      const transport = createTransport({ baseUrl: server.baseUrl })
      for await (const row of iterate(transport, list, 'items', {}, { signal: controller.signal })) {
        rows.push(row)
        controller.abort(new Error('enough'))
      }
    }
    await expect(walk()).rejects.toThrow('enough')
    expect([rows, server.received.length]).toEqual([['a'], 1])
  })

  test('requests no page that the caller does not read', async () => {
    await using server = await paged([{ items: ['a'], next: 't1' }])
    for await (const row of iterate(createTransport({ baseUrl: server.baseUrl }), list, 'items', {})) if (row) break
    expect(server.received.length).toBe(1)
  })

  test('throws the failure of a later page like a plain call', async () => {
    let calls = 0
    await using server = await listen((_, response) => {
      calls += 1
      if (calls === 1) json(response, 200, { items: ['a'], next_page_token: 't' })
      else json(response, 404, { code: 5, message: 'gone' })
    })
    const rows = iterate(createTransport({ baseUrl: server.baseUrl }), list, 'items', {})
    expect((await rows.next()).value).toBe('a')
    const error = await rows.next().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ rpc: 'NOT_FOUND', message: 'gone' })
  })
})

describe('iteratePages', () => {
  test('continues from a saved token', async () => {
    await using server = await paged([{ items: ['a'], next: 't1' }, { items: ['b'], next: 't2' }, { items: ['c'] }])
    const transport = createTransport({ baseUrl: server.baseUrl })
    const pages = iteratePages(transport, list, { filter: 'f' })
    const saved = (await pages.next()).value?.next_page_token ?? ''
    const rest = await allOf(iteratePages(transport, list, { filter: 'f', page_token: saved }))
    expect(rest.flatMap(page => page.items ?? [])).toEqual(['b', 'c'])
    expect(server.received.map(({ target }) => queryOf(target).page_token)).toEqual([undefined, 't1', 't2'])
  })

  test('puts the token into the body of a list that is requested by POST', async () => {
    const query = route<{ body: { query: string; page_token?: string } }, ListResponse>('POST', ['/v1/logs:query'], {
      body: { type: 'application/json', kind: 'json', required: true, write: toJson },
    })
    await using server = await paged([{ items: ['a'], next: 't1' }, { items: ['b'] }])
    await allOf(iteratePages(createTransport({ baseUrl: server.baseUrl }), query, { body: { query: 'q' } }))
    expect(server.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { query: 'q' },
      { query: 'q', page_token: 't1' },
    ])
  })
})
