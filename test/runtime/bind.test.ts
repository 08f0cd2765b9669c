import { expect, test } from 'vitest'
import { bind, bindList } from '../../runtime/bind.ts'
import type { CallContext } from '../../runtime/context.ts'
import { JsonText } from '../../runtime/json.ts'
import { pageTokens } from '../../runtime/page-token.ts'
import { Faults } from '../../runtime/validation.ts'
import { listThings } from './made-service.ts'
import { route } from './routes.ts'

const context: CallContext = {
  principal: undefined,
  method: 'GET',
  path: '/made',
  requestId: 'r',
  traceId: 't',
  idempotencyKey: undefined,
  clientAddress: '',
  signal: new AbortController().signal,
  now: 0,
}

test('a bound route keeps the constant from which it was made', () => {
  const made = route('GET', ['/made'])
  expect(bind(made, async () => undefined).route).toBe(made)
})

test('the route of a client becomes complete with its rules', async () => {
  const { domain, check, ...shared } = route<{ a?: number }, number>('GET', ['/made'])
  const { route: whole, run } = bind(shared, async ({ a }) => a, {
    domain,
    access: { kind: 'own' },
    check,
    complete: request => ({ a: 1, ...request }),
  })
  expect(whole).toMatchObject({ operationId: 'madeOperation', domain, access: { kind: 'own' }, check })
  expect(await run({}, new Faults(), context)).toBe(1)
})

test('a handler receives the completed request, and only a valid request', async () => {
  const made = {
    ...route<{ a?: number }, unknown>('GET', ['/made']),
    complete: (request: { a?: number }) => ({ a: 1, ...request }),
  }
  const { run } = bind(made, async request => request)
  expect(await run({}, new Faults(), context)).toEqual({ a: 1 })
  await expect(run('no', new Faults(), context)).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
})

test('an unreadable member is named once, even if the check misses it too', async () => {
  const made = route('GET', ['/made'], {
    check: (_request, faults): _request is object => faults.add('a', 'is required') || faults.add('b', 'is required'),
  })
  const faults = new Faults()
  faults.add('a', 'must be given once')
  await expect(bind(made, async () => undefined).run({}, faults, context)).rejects.toMatchObject({
    message: 'a must be given once (and 1 more)',
    details: {
      badRequest: [
        { field: 'a', description: 'must be given once' },
        { field: 'b', description: 'is required' },
      ],
    },
  })
})

test('a page has its rows first, then the other members of its response, and its token last', async () => {
  const row = new JsonText<object>('{"id":  1}')
  const { run } = bindList(listThings, async () => ({
    items: [row, { id: 2 }],
    others: { sizes: [], hint: undefined, next_page_token: 'forged' },
  }))
  expect(
    await run(
      {},
      new Faults(),
      context,
      pageTokens(() => ' '.repeat(16)),
    ),
  ).toEqual(new JsonText('{"things":[{"id":  1},{"id":2}],"sizes":[],"next_page_token":""}'))
})

test('JSON text may be given as its bytes, also within a page', async () => {
  const row = new JsonText<object>(new TextEncoder().encode('{"id":  "é"}'))
  expect(row.text).toBe('{"id":  "é"}')
  const { run } = bindList(listThings, async () => ({ items: [row] }))
  const tokens = pageTokens(() => ' '.repeat(16))
  expect(await run({}, new Faults(), context, tokens)).toMatchObject({
    text: expect.stringContaining('[{"id":  "é"}]'),
  })
})

test('a list is bound only if the route is a list, and runs only with page tokens', async () => {
  expect(() => bindList(route('GET', ['/made']), async () => ({ items: [] }))).toThrow('"madeOperation" is no list')
  const { run } = bindList(listThings, async () => ({ items: [] }))
  await expect(run({}, new Faults(), context)).rejects.toThrow('needs page tokens')
})

test('the faults of a request and of its list parameters come together', async () => {
  const { run } = bindList(listThings, async () => ({ items: [] }))
  const faults = new Faults()
  faults.add('colour', 'is not a parameter of this operation')
  const request = { page_size: -1, filter: 'zzz = 1', order_by: 'zzz', page_token: 'x' }
  const error = await run(
    request,
    faults,
    context,
    pageTokens(text => text.padEnd(32)),
  ).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ reason: 'FIELD_INVALID', message: expect.stringContaining('colour is not') })
  expect(error).toMatchObject({
    details: {
      badRequest: ['colour', 'page_size', 'filter', 'order_by', 'page_token'].map(field =>
        expect.objectContaining({ field }),
      ),
    },
  })
})

test('a valid page token stays without fault beside an unknown parameter', async () => {
  const { run } = bindList(listThings, async () => ({ items: [], next: ['a'] }))
  const tokens = pageTokens(text => text.slice(-32).padEnd(32))
  const page = await run({ filter: 'size > 1' }, new Faults(), context, tokens)
  const page_token: unknown = page instanceof JsonText ? JSON.parse(page.text).next_page_token : undefined
  const faults = new Faults()
  faults.add('colour', 'is not a parameter of this operation')
  await expect(run({ filter: 'size > 1', page_token }, faults, context, tokens)).rejects.toMatchObject({
    details: { badRequest: [expect.objectContaining({ field: 'colour' })] },
  })
})
