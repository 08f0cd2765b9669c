import { describe, expect, test } from 'vitest'
import { bind } from '../../../runtime/bind.ts'
import { dispatcher } from '../../../runtime/call.ts'
import { checkEtag } from '../../../runtime/field-mask.ts'
import { JsonText } from '../../../runtime/json.ts'
import type { BoundRoute } from '../../../runtime/route.ts'
import type { Dispatch } from '../../../runtime/wire.ts'
import { route } from '../routes.ts'
import type { Hosted } from './contract.ts'

interface Sent {
  readonly etag?: string
  readonly body?: { readonly etag?: string }
}

/** The etag that the resource of the service has. */
const current = 'a1'

const json = { type: 'application/json', kind: 'json', required: true } as const
const etagParameter = { name: 'etag', in: 'query', type: 'string' } as const

/** Serves one resource; the answer of a change is the etag that its handler received. */
function etagService(text: string): Dispatch {
  const change = async ({ body, etag = body?.etag }: Sent) => {
    checkEtag(etag, current)
    return { received: etag ?? null }
  }
  const path = ['/made/things/one']
  const routes: readonly BoundRoute[] = [
    bind({ ...route<Sent, unknown>('GET', path), mode: 'data', etag: 'answer' }, async () => new JsonText(text)),
    bind({ ...route<Sent, unknown>('PATCH', path), mode: 'sync', etag: 'body', body: json }, change),
    bind({ ...route<Sent, unknown>('DELETE', path), mode: 'sync', etag: 'query', parameters: [etagParameter] }, change),
    bind(
      {
        ...route<Sent, unknown>('POST', ['/made/things/one:stop']),
        mode: 'async',
        etag: 'body',
        body: { ...json, required: false },
      },
      change,
    ),
    bind({ ...route<Sent, unknown>('POST', ['/made/things']), mode: 'sync', body: json }, change),
    bind({ ...route<Sent, unknown>('POST', ['/made/things:count']), mode: 'data', body: json }, change),
  ]
  return dispatcher({
    routes,
    doors: { authenticate: async () => undefined, authorize: async () => undefined },
    clock: { now: () => 1_700_000_000_000, newId: () => 'id-1' },
    domains: { outside: { name: 'made', base: 7_000_000 } },
    log: () => undefined,
  })
}

/** The changes of the resource: a name, the method, the path, and whether the request has a JSON body. */
const changes = [
  ['an update', 'PATCH', '/made/things/one', true],
  ['a deletion', 'DELETE', '/made/things/one', false],
  ['a verb with a body', 'POST', '/made/things/one:stop', true],
  ['a verb without a body', 'POST', '/made/things/one:stop', false],
] as const

/** Declares the tests of the headers `ETag`, `If-Match` and `If-None-Match` for a host. */
export function etagContract(name: string, host: (dispatch: Dispatch) => Promise<Hosted>): void {
  const serve = (text = `{"id":"1","etag":"${current}"}`) => host(etagService(text))
  const send = async (hosted: Hosted, method: string, path: string, headers: Record<string, string>, body?: object) => {
    const type = body && { 'content-type': 'application/json' }
    const init = { headers: { ...headers, ...type }, ...(body && { body: JSON.stringify(body) }) }
    return hosted.send(method, path, init)
  }
  const reasonOf = async (answer: Response): Promise<string> => {
    const { details } = await answer.json()
    return [
      details[0].reason,
      ...(details[1]?.field_violations ?? []).map((each: { field: string }) => each.field),
    ].join()
  }

  describe.each(changes)(`${name}: If-Match on %s`, (_name, method, path, hasBody) => {
    const body = hasBody ? {} : undefined

    test('names the etag of the resource', async () => {
      await using hosted = await serve()
      const answer = await send(hosted, method, path, { 'if-match': `"${current}"` }, body)
      expect([answer.status, await answer.json()]).toEqual([200, { received: current }])
    })

    test('is met by an existing resource if it is *', async () => {
      await using hosted = await serve()
      const answer = await send(hosted, method, path, { 'if-match': '*' }, body)
      expect([answer.status, await answer.json()]).toEqual([200, { received: '*' }])
    })

    test('refuses the change if it names another etag', async () => {
      await using hosted = await serve()
      const answer = await send(hosted, method, path, { 'if-match': '"a0"' }, body)
      expect([answer.status, await reasonOf(answer)]).toEqual([409, 'ETAG_MISMATCH'])
    })

    test.each(['', 'a1', 'W/"a1"', '"a1", "a2"', '"*"', '""', '"a1', '*, *'])('refuses the value %j', async value => {
      await using hosted = await serve()
      const answer = await send(hosted, method, path, { 'if-match': value }, body)
      expect([answer.status, await reasonOf(answer)]).toEqual([400, 'FIELD_INVALID,If-Match'])
    })

    test('must not contradict the etag of the request', async () => {
      await using hosted = await serve()
      const at = method === 'DELETE' ? `${path}?etag=a0` : path
      const answer = await send(hosted, method, at, { 'if-match': '"a1"' }, method === 'DELETE' ? body : { etag: 'a0' })
      expect([answer.status, await reasonOf(answer)]).toEqual([400, 'FIELD_INVALID,If-Match'])
    })

    test.each(['', current])('agrees with the etag %j of the request', async etag => {
      await using hosted = await serve()
      const at = method === 'DELETE' ? `${path}?etag=${etag}` : path
      const sent = method === 'DELETE' ? body : { etag }
      const answer = await send(hosted, method, at, { 'if-match': '"a1"' }, sent)
      expect([answer.status, await answer.json()]).toEqual([200, { received: current }])
    })
  })

  describe(`${name}: If-Match`, () => {
    test('does not stand in for a required body', async () => {
      await using hosted = await serve()
      const answer = await send(hosted, 'PATCH', '/made/things/one', { 'if-match': '"a1"' })
      expect(await answer.json()).toEqual({ received: null })
    })

    test('is refused with a tag on an operation that compares no etag, and accepted with *', async () => {
      await using hosted = await serve()
      const refused = await send(hosted, 'POST', '/made/things', { 'if-match': '"a1"' }, {})
      expect([refused.status, await reasonOf(refused)]).toEqual([400, 'FIELD_INVALID,If-Match'])
      expect((await send(hosted, 'POST', '/made/things', { 'if-match': '*' }, {})).status).toBe(200)
    })

    test('is ignored on an operation that changes nothing', async () => {
      await using hosted = await serve()
      expect((await send(hosted, 'POST', '/made/things:count', { 'if-match': '"a0"' }, {})).status).toBe(200)
    })
  })

  describe(`${name}: the answer of one resource`, () => {
    test.each(['GET', 'HEAD'])('has its etag as ETag, and is not cached: %s', async method => {
      await using hosted = await serve()
      const answer = await send(hosted, method, '/made/things/one', {})
      expect([answer.status, answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([
        200,
        '"a1"',
        'no-store',
      ])
    })

    test.each([
      ['*', 304],
      ['"a1"', 304],
      ['W/"a1"', 304],
      ['"a0", "a1"', 304],
      ['"a0",W/"a1"', 304],
      ['"a0"', 200],
      ['a1', 200],
      ['', 200],
    ])('If-None-Match %j is answered %i', async (value, status) => {
      await using hosted = await serve()
      for (const method of ['GET', 'HEAD']) {
        const answer = await send(hosted, method, '/made/things/one', { 'if-none-match': value })
        expect([answer.status, answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([
          status,
          '"a1"',
          'no-store',
        ])
        expect(answer.headers.has('x-request-id') && answer.headers.has('traceparent')).toBe(true)
        expect((await answer.text()) === '').toBe(status === 304 || method === 'HEAD')
        if (status === 304) expect(answer.headers.get('content-type')).toBe(null)
      }
    })

    test.each([
      ['a label before it', '{"labels":{"etag":"x"},"etag":"a1"}', '"a1"'],
      ['a label after it', '{"etag":"a1","labels":{"etag":"x"}}', '"a1"'],
      ['the second label after it', '{"etag":"a1","labels":{"a":"b","etag":"x"}}', '"a1"'],
      ['the only label', '{"id":"1","etag":"a1","labels":{"etag":"x"}}', '"a1"'],
      ['two labels', '{"id":"1","labels":{"a":"b","etag":"x"},"etag":"a1"}', '"a1"'],
      ['its text in a description', String.raw`{"description":"\"etag\":\"x\"","etag":"a1"}`, '"a1"'],
      ['no etag', '{"id":"1"}', null],
      ['an etag that no header can hold', String.raw`{"etag":"a\"1"}`, null],
      ['an empty etag', '{"etag":""}', null],
    ])('a resource with %s', async (_name, text, etag) => {
      await using hosted = await serve(text)
      const answer = await send(hosted, 'GET', '/made/things/one', {})
      expect([await answer.text(), answer.headers.get('etag')]).toEqual([text, etag])
    })
  })
}
