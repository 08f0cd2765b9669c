import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { JsonText } from '../../../../runtime/json.ts'
import { openReaders, type StackReaders } from '../../../../server/observability/stack/open-readers.ts'
import { StackCounts } from '../../../../server/observability/stack/stack-counts.ts'
import { StackThreads } from '../../../../server/observability/stack/threads/stack-threads.ts'
import { threadedReaders } from '../../../../server/observability/stack/threads/threaded-readers.ts'
import { hostileHost } from '../outbound/hostile-host.ts'
import { servedApi, workspace, type ApiAnswer, type ApiRequest } from './api-member.ts'

const { signal } = new AbortController()
const asked = { query: 'up', time: 1000, timeoutMs: 60_000, limit: 10 }
const vector = { resultType: 'vector', result: [{ metric: { workspace_id: workspace, a: 'b' }, value: [1, '2'] }] }
const success: ApiAnswer = { body: { status: 'success', data: vector } }

/** Opens a stack over the address of its metrics, whose answers are read in threads. */
function threaded(url: string) {
  const counts = new StackCounts()
  const settings = [{ name: 'far', multi_tenant: false, metrics_url: url }]
  const ignored = (): void => {}
  const threads = new StackThreads({ settings, counts, log: { error: ignored, warn: ignored } })
  onTestFinished(() => threads.end())
  const readers = openReaders(settings, { clock: { now: () => Date.now() }, counts }).get('far') ?? {}
  return { counts, threads, readers: threadedReaders('far', readers, threads) }
}

const metricsOf = ({ metrics }: StackReaders) => metrics ?? expect.fail('the stack has no metrics')

async function served(serve: (request: ApiRequest) => ApiAnswer) {
  const api = await servedApi(serve, onTestFinished)
  return { ...api, ...threaded(api.url) }
}

describe('a stack whose answers are read in threads', () => {
  it('answers texts of JSON, values and counts', async () => {
    const { counts, readers } = await served(({ path }) =>
      path.endsWith('/series') ? { body: { status: 'success', data: [vector.result[0]?.metric] } } : success,
    )
    const metrics = metricsOf(readers)
    const result = await metrics.query(workspace, asked, signal)
    expect(result).toBeInstanceOf(JsonText)
    expect(JSON.parse(result.text)).toMatchObject({ vector: [{ metric: { a: 'b' }, value: '2' }] })
    expect((await metrics.labels(workspace, { match: [] }, signal)).map(({ name }) => name)).toEqual(['a'])
    expect(counts.metrics()[0]?.read()).toEqual([
      { labels: { engine: 'far', member: 'metrics', outcome: 'answered' }, value: 2 },
      { labels: { engine: 'far', member: 'metrics', outcome: 'failed' }, value: 0 },
    ])
  })

  it('has the errors of its members with all of their parts', async () => {
    const { counts, readers } = await served(() => ({ status: 500, body: 'secret' }))
    const error: unknown = await metricsOf(readers)
      .query(workspace, asked, signal)
      .catch((e: unknown) => e)
    if (!(error instanceof ApiError)) throw error
    expect([error.reason, error.rpc, error.message]).toEqual([
      'ENGINE_UNAVAILABLE',
      'UNAVAILABLE',
      'metrics_url of the engine far answers with status 500',
    ])
    expect(error.details).toMatchObject({ retryAfterSeconds: 5 })
    expect(counts.metrics()[0]?.read()).toMatchObject([{ value: 0 }, { value: 1 }])
  })

  it('checks queries without a thread', () => {
    const { readers } = threaded('http://127.0.0.1:1')
    expect(() => metricsOf(readers).admit?.(workspace, 'up{workspace_id="x"}')).toThrow("'reserved_label'")
  })

  it('leaves the member when the caller leaves', async () => {
    const closed = Promise.withResolvers<void>()
    const host = await hostileHost(socket => void socket.on('close', () => closed.resolve()))
    const { readers } = threaded(`http://127.0.0.1:${host.port}`)
    const caller = new AbortController()
    const query = metricsOf(readers).query(workspace, asked, caller.signal)
    await expect.poll(() => host.received()).toContain('POST /api/v1/query')
    caller.abort(new Error('left'))
    await expect(query).rejects.toThrow('left')
    await closed.promise
    await expect(metricsOf(readers).query(workspace, asked, caller.signal)).rejects.toThrow('left')
  })

  it('goes on with new threads after its threads have ended', async () => {
    let isSlow = true
    const host = await hostileHost(socket => {
      const body = JSON.stringify(success.body)
      if (!isSlow) socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    })
    const { readers, threads } = threaded(`http://127.0.0.1:${host.port}`)
    const lost = metricsOf(readers).query(workspace, asked, signal)
    const outcome = lost.catch((error: unknown) => error)
    await expect.poll(() => host.received()).toContain('POST /api/v1/query')
    await threads.end()
    expect(await outcome).toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    isSlow = false
    expect((await metricsOf(readers).query(workspace, asked, signal)).text).toContain('"value":"2"')
  })
})
