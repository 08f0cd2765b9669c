import { describe, expect, it } from 'vitest'
import type { Dispatch, WireAnswer, WireRequest } from '../../../runtime/wire.ts'
import { createClock } from '../../../server/clock.ts'
import { Meters } from '../../../server/meters/meters.ts'
import { Admission } from '../../../server/http/admission.ts'
import { Turns } from '../../../server/http/turns.ts'
import { logLines } from '../operations/work-bench.ts'

type Chunk = Uint8Array<ArrayBuffer>

const request = (target: string, body?: AsyncIterable<Chunk>): WireRequest => ({
  method: 'GET',
  target,
  headers: {},
  body,
  signal: new AbortController().signal,
  clientAddress: '127.0.0.1',
})

/** Makes an admission whose requests read their bodies and then wait until the test calls `release`. */
function gated(max: number) {
  const meters = new Meters()
  const log = logLines()
  const domains = { outside: { name: 'ninefold', base: 0 }, areas: [{ name: 'taxonomy', base: 7_000_000 }] }
  const admission = new Admission(max, new Turns({ turnMs: Infinity }), { clock: createClock(), log, meters }, domains)
  const waiting: (() => void)[] = []
  const dispatch: Dispatch = async ({ body }) => {
    if (body !== undefined) for await (const _ of body);
    await new Promise<void>(resolve => waiting.push(resolve))
    return { status: 200, headers: {} }
  }
  const release = (): void => waiting.splice(0).forEach(resolve => resolve())
  return { admission, admit: admission.admit(dispatch), log, meters, release, waiting }
}

const refusalOf = ({ status, headers, body }: WireAnswer) => ({ status, headers, ...JSON.parse(String(body)) })

describe('the admission of calls', () => {
  it('refuses requests above the limit with 503 in the form of the area, and admits requests again when others have ended', async () => {
    const { admission, admit, log, meters, release } = gated(2)
    const calls = [1, 2].map(() => admit(request('/taxonomy/v1/quotas')))
    expect(admission.inWork).toBe(2)
    const refused = refusalOf(await admit(request('/taxonomy/v1/quotas?page_size=1')))
    expect(refused).toMatchObject({
      status: 503,
      code: 14,
      headers: { 'content-type': 'application/json', 'retry-after': '1', traceparent: expect.any(String) },
      details: [
        { reason: 'ENGINE_UNAVAILABLE', domain: 'taxonomy', metadata: { code: '7000003' } },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retry_delay: '1s' },
      ],
    })
    expect(meters.refusals.get('overloaded')).toBe(1)
    expect(log.lines.map(({ fields }) => fields)).toMatchObject([
      { requestId: refused.headers['x-request-id'], status: 503, reason: 'ENGINE_UNAVAILABLE', cause: 'overloaded' },
    ])
    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    expect(admission.inWork).toBe(0)
    const next = admit(request('/taxonomy/v1/quotas'))
    release()
    expect((await next).status).toBe(200)
  })

  it.each(['/healthz', '/readyz', '/metrics'])('admits %s under any load, without a count', async target => {
    const { admission, admit, release } = gated(1)
    const call = admit(request('/a'))
    const probe = admit(request(target))
    expect(admission.inWork).toBe(1)
    release()
    expect([(await call).status, (await probe).status]).toEqual([200, 200])
  })

  it.each(['/healthz/', '/healthz?x', '/metrics2', '/'])('counts %s like other requests', async target => {
    const { admit, release } = gated(1)
    const call = admit(request('/a'))
    expect((await admit(request(target))).status).toBe(503)
    release()
    await call
  })

  it('does not count a request while it waits for its body', async () => {
    const { admission, admit, release, waiting } = gated(1)
    const arrived = Promise.withResolvers<void>()
    async function* slow(): AsyncGenerator<Chunk> {
      yield new Uint8Array(1)
      await arrived.promise
    }
    const uploads = [1, 2, 3].map(() => admit(request('/upload', slow())))
    await expect.poll(() => admission.inWork).toBe(0)
    const quick = admit(request('/a'))
    expect(admission.inWork).toBe(1)
    release()
    expect((await quick).status).toBe(200)
    arrived.resolve()
    await expect.poll(() => waiting.length).toBe(3)
    expect(admission.inWork).toBe(3)
    release()
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect(admission.inWork).toBe(0)
  })

  it('counts a request whose body breaks off as ended', async () => {
    const { admission, admit } = gated(1)
    const broken: AsyncIterable<Chunk> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }),
    }
    await expect(admit(request('/upload', broken))).rejects.toThrow('gone')
    expect(admission.inWork).toBe(0)
  })

  it('is drained when the requests in progress have ended; until then it refuses requests, and each response closes its connection', async () => {
    const { admission, admit, meters, release } = gated(9)
    const call = admit(request('/a'))
    let isDrained = false
    const drained = admission.drain().then(() => (isDrained = true))
    expect(admission.isDraining).toBe(true)
    const refused = refusalOf(await admit(request('/nope')))
    expect(refused).toMatchObject({
      status: 503,
      headers: { connection: 'close', 'retry-after': '1' },
      details: [{ reason: 'ENGINE_UNAVAILABLE', domain: 'ninefold', metadata: { code: '3' } }, {}],
    })
    expect([isDrained, meters.refusals.get('draining')]).toEqual([false, 1])
    release()
    expect((await call).headers).toEqual({ connection: 'close' })
    await drained
    const probe = admit(request('/readyz'))
    release()
    expect((await probe).headers).toEqual({ connection: 'close' })
  })
})
