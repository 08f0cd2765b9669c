import { describe, expect, test } from 'vitest'
import { rawBytes } from '../../runtime/body.ts'
import type { Bytes } from '../../runtime/body.ts'
import { toBody } from '../../runtime/media.ts'
import type { ClientRoute, Method } from '../../runtime/route.ts'
import { createTransport, send } from '../../runtime/transport.ts'
import type { CallOptions } from '../../runtime/transport.ts'
import { fakeTiming } from './fake-time.ts'
import { route } from './routes.ts'

type Outcome = Response | Error

/**
 * Returns a `fetch` that has one outcome for each call, and then always the last outcome. `sent` has the headers of the
 * calls.
 */
function faultyFetch(...outcomes: readonly (() => Outcome)[]) {
  const sent: Headers[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(new Headers(init?.headers))
    const outcome = outcomes[Math.min(sent.length, outcomes.length) - 1]?.() ?? new Error('no outcome')
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  return { fetch, sent }
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/
const ok = () => Response.json({ id: 'a' })
const lost = () => new TypeError('fetch failed')
const status =
  (http: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('', { status: http, headers })

const call = route<{ body?: Bytes }, { id: string }>
const body = { type: 'application/octet-stream', kind: rawBytes, required: false, write: toBody } as const

async function outcomeOf(
  operation: ClientRoute<{ body?: Bytes }, { id: string }>,
  faults: readonly (() => Outcome)[],
  options: CallOptions & { readonly request?: { body: Bytes }; readonly random?: number } = {},
) {
  const { fetch, sent } = faultyFetch(...faults)
  const timing = fakeTiming(options.random)
  const transport = createTransport({ baseUrl: '', fetch, timing })
  const result = await send(transport, operation, options.request ?? {}, options).then(
    () => 'done',
    (error: unknown) => (error instanceof Error && 'reason' in error ? error.reason : error),
  )
  return { result, tries: sent.length, slept: timing.slept, keys: sent.map(headers => headers.get('idempotency-key')) }
}

describe('a failure that is retried', () => {
  test.each<[string, () => Outcome, string, number]>([
    ['a lost connection', lost, 'CONNECTION_FAILED', 4],
    ['503', status(503), 'HTTP_503', 4],
    ['429 with a time', status(429, { 'retry-after': '0' }), 'HTTP_429', 4],
    ['429 without a time', status(429), 'HTTP_429', 1],
    ['500', status(500), 'HTTP_500', 1],
    ['504', status(504), 'HTTP_504', 1],
    ['409', status(409), 'HTTP_409', 1],
    ['an answer that breaks the contract', () => new Response(''), 'ANSWER_INVALID', 1],
  ])('%s', async (_, fault, reason, tries) => {
    expect(await outcomeOf(call('GET', ['/']), [fault])).toMatchObject({ result: reason, tries })
  })

  test.each<
    [
      Method,
      Partial<ClientRoute<{ body?: Bytes }, { id: string }>>,
      CallOptions & { request?: { body: Bytes } },
      number,
    ]
  >([
    ['GET', {}, {}, 2],
    ['HEAD', {}, {}, 2],
    ['POST', {}, {}, 1],
    ['DELETE', {}, {}, 1],
    ['POST', { mode: 'data' }, {}, 1],
    ['POST', { mode: 'sync' }, {}, 2],
    ['DELETE', { mode: 'async' }, {}, 2],
    ['POST', {}, { idempotencyKey: 'mine' }, 2],
    ['PUT', { body }, { idempotencyKey: 'mine', request: { body: new Uint8Array([1]) } }, 2],
    ['PUT', { body }, { idempotencyKey: 'mine', request: { body: new Blob(['1']).stream() } }, 1],
    ['GET', {}, { retry: false }, 1],
  ])('%s %j with %j', async (method, more, options, tries) => {
    expect((await outcomeOf(call(method, ['/'], more), [lost, ok], options)).tries).toBe(tries)
  })

  test('a body that breaks off while it is read', async () => {
    const broken = () => new Response(new ReadableStream({ pull: stream => stream.error(new TypeError('terminated')) }))
    expect(await outcomeOf(call('GET', ['/']), [broken, ok])).toMatchObject({ result: 'done', tries: 2 })
  })
})

test('a plain transport tries once, within its time limit, with a key and no token', async () => {
  const { fetch, sent } = faultyFetch(status(503), ok)
  const plain = { baseUrl: '', fetch, headers: { 'user-agent': 'made/1' } }
  const post = call('POST', ['/'], { mode: 'sync' })
  await expect(send(plain, post, {})).rejects.toMatchObject({ reason: 'HTTP_503' })
  expect(await send(plain, post, {}, { idempotencyKey: 'mine' })).toEqual({ id: 'a' })
  expect(sent.map(headers => headers.get('idempotency-key'))).toEqual([expect.stringMatching(uuid), 'mine'])
  expect(sent.map(headers => headers.get('authorization'))).toEqual([null, null])

  const silent = { baseUrl: '', timeoutMs: 10, fetch: () => new Promise<never>(() => {}) }
  await expect(send(silent, call('GET', ['/']), {})).rejects.toMatchObject({ reason: 'DEADLINE_EXCEEDED' })
})

describe('the delay between attempts', () => {
  test.each([
    [0, [0, 0, 0]],
    [0.5, [50, 100, 200]],
    [0.99, [99, 198, 396]],
  ])('is a random part of a doubling back-off (%f)', async (random, slept) => {
    expect((await outcomeOf(call('GET', ['/']), [lost], { random })).slept).toEqual(slept)
  })

  test('never goes beyond five seconds', async () => {
    const { fetch } = faultyFetch(lost)
    const timing = fakeTiming(1)
    const transport = createTransport({ baseUrl: '', fetch, timing, retries: 9 })
    await expect(send(transport, call('GET', ['/']), {})).rejects.toMatchObject({ reason: 'CONNECTION_FAILED' })
    expect(timing.slept).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
  })

  test.each([
    ['Retry-After in seconds', status(503, { 'retry-after': '7' }), 7000],
    ['Retry-After as a time', status(503, { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }), 9000],
    ['Retry-After in the past', status(503, { 'retry-after': 'Wed, 01 Jan 2025 00:00:00 GMT' }), 0],
    ['an unreadable Retry-After', status(503, { 'retry-after': 'soon' }), 0],
    [
      'RetryInfo, which is finer than the header',
      () =>
        Response.json(
          {
            code: 14,
            message: 'm',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retry_delay: '1.5s' }],
          },
          { status: 503, headers: { 'retry-after': '2' } },
        ),
      1500,
    ],
  ])('is at least %s', async (_, fault, ms) => {
    expect((await outcomeOf(call('GET', ['/']), [fault, ok], { random: 0 })).slept).toEqual([ms])
  })

  test('never exceeds the deadline', async () => {
    const fault = status(503, { 'retry-after': '61' })
    expect(await outcomeOf(call('GET', ['/']), [fault])).toMatchObject({ result: 'HTTP_503', tries: 1, slept: [] })
  })

  test('ends immediately at an abort', async () => {
    const { fetch } = faultyFetch(status(503, { 'retry-after': '30' }))
    const controller = new AbortController()
    const sleeping = createTransport({
      baseUrl: '',
      fetch: (...given) => fetch(...given).finally(() => setImmediate(() => controller.abort('stop'))),
    })
    const started = send(sleeping, call('GET', ['/']), {}, { signal: controller.signal })
    await expect(started).rejects.toBe('stop')
  })
})

describe('the budget of a transport', () => {
  test('stops retries when calls keep failing, and is restored by successes', async () => {
    let isDown = true
    let tries = 0
    const fetch = async () => {
      tries += 1
      return isDown ? new Response('', { status: 503 }) : ok()
    }
    const transport = createTransport({ baseUrl: '', fetch, timing: fakeTiming() })
    const attempt = () => send(transport, call('GET', ['/']), {}).catch(() => undefined)
    const triesOf = async (calls: number) => {
      const before = tries
      for (let index = 0; index < calls; index += 1) await attempt()
      return tries - before
    }
    expect(await triesOf(10)).toBe(10 + 10)
    expect(await triesOf(5)).toBe(5)
    isDown = false
    expect(await triesOf(21)).toBe(21)
    isDown = true
    expect(await triesOf(5)).toBe(5 + 2)
  })

  test('lasts while one of two servers is unreachable, whose calls the other handles', async () => {
    let tries = 0
    const fetch = async () => ((tries += 1) % 2 === 1 ? Promise.reject(lost()) : ok())
    const transport = createTransport({ baseUrl: '', fetch, timing: fakeTiming() })
    for (let index = 0; index < 200; index += 1) await send(transport, call('GET', ['/']), {})
    expect(tries).toBe(400)
  })
})

describe('the Idempotency-Key', () => {
  test('is created for mutations and stays the same over retries', async () => {
    const { keys } = await outcomeOf(call('POST', ['/'], { mode: 'sync' }), [lost, status(503), ok])
    expect(keys).toEqual([expect.stringMatching(uuid), keys[0], keys[0]])
  })

  test('differs between calls', async () => {
    const [first, second] = [
      await outcomeOf(call('POST', ['/'], { mode: 'async' }), [ok]),
      await outcomeOf(call('POST', ['/'], { mode: 'async' }), [ok]),
    ]
    expect(first.keys).not.toEqual(second.keys)
  })

  test.each([
    ['given by the caller', { mode: 'sync' as const }, { idempotencyKey: 'mine' }, 'mine'],
    ['of calls that read', { mode: 'data' as const }, {}, null],
    ['of documents without modes', {}, {}, null],
  ])('%s', async (_, more, options, key) => {
    expect((await outcomeOf(call('POST', ['/'], more), [ok], options)).keys).toEqual([key])
  })
})
