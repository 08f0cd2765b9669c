import { beforeAll, describe, expect, it } from 'vitest'
import { afterTests } from '../../../undo.ts'
import { servedLogs, type ServedLogs } from './served-logs.ts'

let served: ServedLogs

beforeAll(async () => {
  served = await servedLogs(afterTests)
  await served.push(
    'api',
    '{"status":500,"msg":"error a"}',
    '{"status":200,"msg":"error b"}',
    '{"status":503,"msg":"ok"}',
  )
})

const forward = { direction: 'OBSERVABILITY_LOG_DIRECTION_FORWARD' } as const

describe('queries of logs', () => {
  it('answer the entries that fit a pipeline, and the values of metric queries', async () => {
    const found = await served.entries('{service_name="api"} |= "error" | json | status >= 500')
    expect(found.map(({ line }) => line)).toEqual(['{"status":500,"msg":"error a"}'])
    const counted = await served.query({ query: 'sum(count_over_time({service_name="api"}[5m]))' })
    expect(counted).toMatchObject({ result_type: 'OBSERVABILITY_RESULT_TYPE_VECTOR', vector: [{ value: '3' }] })
    const range = await served.query({ query: 'sum(count_over_time({service_name="api"}[1h]))', step: '1800s' })
    expect(range.matrix[0]?.points.at(-1)?.value).toBe('3')
  })

  it('refuse selectors without a condition, and name the position of faults', async () => {
    await expect(served.query({ query: '{}' })).rejects.toMatchObject({ reason: 'SELECTOR_EMPTY' })
    await expect(served.query({ query: '{service_name="api"' })).rejects.toMatchObject({
      reason: 'QUERY_SYNTAX_INVALID',
      metadata: { position: expect.stringMatching(/^\d+$/), language: 'LOGQL' },
    })
    await expect(served.query({ query: '{service_name="api"}', step: '0.5s' })).rejects.toMatchObject({
      reason: 'FIELD_INVALID',
    })
    const times = { start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01T00:00:00Z' }
    await expect(served.query({ query: '{service_name="api"}', ...times })).rejects.toMatchObject({
      reason: 'QUERY_RANGE_INVALID',
    })
  })

  it.each([{}, forward])('answer all entries page by page in the direction %o', async order => {
    const lines: string[] = []
    let token = ''
    do {
      const body = { query: '{service_name="api"}', limit: 1, ...order, ...(token && { page_token: token }) }
      const { next_page_token, streams } = await served.query(body)
      for (const { entries } of streams) lines.push(...entries.map(({ line }) => line))
      token = next_page_token
    } while (token !== '')
    const all = await served.entries('{service_name="api"}', order)
    expect(lines).toEqual(all.map(({ line }) => line))
    expect(lines).toHaveLength(3)
  })

  it('refuse the token of another query', async () => {
    const { next_page_token: token } = await served.query({ query: '{service_name="api"}', limit: 1 })
    await expect(served.query({ query: '{service_name="web"}', limit: 1, page_token: token })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    })
  })

  it('are left out of the quota of concurrent queries when they are over', async () => {
    await Promise.all(Array.from({ length: 4 }, () => served.query({ query: '{service_name="api"}' })))
    const { quota_limits: limits } = await served.plane.api.observability.listQuotaLimits({
      filter: `scope_id = "${served.plane.tenant.workspace}"`,
    })
    const usage = new Map(limits.map(limit => [limit.quota_definition_id, limit.usage]))
    expect(usage.get('observability.concurrentQueries')).toBe(0)
    expect(usage.get('observability.logStreams')).toBeGreaterThanOrEqual(1)
  })
})

describe('the list of streams', () => {
  const list = (more = {}) =>
    served.plane.api.observability.listLogStreams({
      workspace: served.plane.tenant.workspace,
      engine: 'native',
      ...more,
    })

  it('has the sums of the kept entries, by filter and time', async () => {
    const { log_streams: streams } = await list({ filter: 'labels.service_name = "api"' })
    expect(streams).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        labels: { service_name: 'api', ingestion_config: 'otlp' },
        first_time: expect.stringMatching(/T.*\.\d{3}000000Z$/),
        last_time: expect.stringMatching(/T.*\.\d{3}000002Z$/),
        entry_count: 3,
        bytes: 85,
      },
    ])
    const [{ first_time: first = '', last_time: last = '' } = {}] = streams
    expect((await list({ start_time: last })).log_streams).toHaveLength(1)
    expect((await list({ end_time: first })).log_streams).toEqual([])
    await expect(list({ start_time: last, end_time: first })).rejects.toMatchObject({ reason: 'QUERY_RANGE_INVALID' })
  })
})

describe('a tail of logs', () => {
  const query = '{service_name="tailed"} |= "wanted"'

  it('answers a late entry as soon as it is committed, and nothing twice', async () => {
    const { cursor, entries } = await served.tail({ query, wait: '0s' })
    expect(entries).toEqual([])
    const waiting = served.tail({ query, cursor, wait: '20s' })
    await served.push('tailed', 'other')
    const old = BigInt(Date.now() - 600_000) * 1_000_000n
    const pushed = performance.now()
    await served.pushRecords('tailed', { timeUnixNano: String(old), body: { stringValue: 'wanted 1' } })
    const next = await waiting
    expect(next.entries).toMatchObject([
      { line: 'wanted 1', labels: { service_name: 'tailed', ingestion_config: 'otlp' }, metadata: {} },
    ])
    // Machines under load are slow; a poll of the wait would take 20 seconds.
    expect(performance.now() - pushed).toBeLessThan(15_000)
    const after = await served.tail({ query, cursor: next.cursor, wait: '1s' })
    expect(after).toMatchObject({ entries: [], skipped_count: 0 })
  })

  it('loses and repeats nothing over many calls with a limit', async () => {
    const sent = Array.from({ length: 250 }, (_, i) => `wanted ${i}`)
    let { cursor } = await served.tail({ query, wait: '0s' })
    for (let i = 0; i < sent.length; i += 50) await served.push('tailed', ...sent.slice(i, i + 50))
    const lines: string[] = []
    while (lines.length < sent.length) {
      const { cursor: next, entries } = await served.tail({ query, cursor, limit: 70, wait: '10s' })
      expect(entries.length).toBeGreaterThan(0)
      lines.push(...entries.map(({ line }) => line))
      cursor = next
    }
    expect(lines).toEqual(sent)
  })

  it('loses and repeats nothing while senders push and the caller breaks off its calls', async () => {
    const senders = [0, 1, 2].map(sender => Array.from({ length: 40 }, (_, i) => `wanted by ${sender}: ${i}`))
    let { cursor } = await served.tail({ query, wait: '0s' })
    const pushes = senders.map(async lines => {
      for (let i = 0; i < lines.length; i += 4) await served.push('tailed', ...lines.slice(i, i + 4))
    })
    const { observability } = served.plane.api
    const where = { workspace: served.plane.tenant.workspace, engine: 'native' }
    const lines: string[] = []
    for (let call = 0; lines.length < senders.flat().length; call += 1) {
      const body = { query, cursor, limit: 7, wait: '20s' } as const
      // The caller leaves every other call before or after its answer, and goes on with the cursor that it has.
      const leave = new AbortController()
      const asked = observability.tailLogs({ ...where, body }, { signal: leave.signal })
      if (call % 2 === 0) setTimeout(() => leave.abort(), call % 30)
      const answer = await asked.catch(() => undefined)
      if (answer === undefined) continue
      lines.push(...answer.entries.map(({ line }) => line))
      cursor = answer.cursor
    }
    await Promise.all(pushes)
    expect(lines.toSorted()).toEqual(senders.flat().toSorted())
    for (const [sender, sent] of senders.entries())
      expect(lines.filter(line => line.startsWith(`wanted by ${sender}:`))).toEqual(sent)
    expect((await served.tail({ query, cursor, wait: '1s' })).entries).toEqual([])
  })

  it('begins with the entries that came in since a time', async () => {
    const { entries } = await served.tail({ query, start_time: new Date(Date.now() - 3_600_000).toISOString() })
    expect(entries[0]?.line).toBe('wanted 1')
  })

  it('refuses altered cursors, cursors of other queries, metric queries, and long waits', async () => {
    const { cursor } = await served.tail({ query, wait: '0s' })
    const invalid = { reason: 'TAIL_CURSOR_INVALID' }
    await expect(served.tail({ query, cursor: `${cursor}x` })).rejects.toMatchObject(invalid)
    await expect(served.tail({ query: '{service_name="api"}', cursor })).rejects.toMatchObject(invalid)
    await expect(served.tail({ query: `count_over_time(${query}[1m])` })).rejects.toMatchObject({
      reason: 'QUERY_TYPE_INVALID',
    })
    await expect(served.tail({ query, wait: '31s' })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
    const both = { cursor, start_time: new Date().toISOString() }
    await expect(served.tail({ query, ...both })).rejects.toMatchObject({ reason: 'FIELD_INVALID' })
  })

  it('is refused above 50 waiting callers, whose places are free once they leave', async () => {
    const { observability } = served.plane.api
    const where = { workspace: served.plane.tenant.workspace, engine: 'native' }
    const { cursor } = await served.tail({ query, wait: '0s' })
    const leave = new AbortController()
    const body = { query, cursor, wait: '30s' }
    const waiting = Array.from({ length: 50 }, () =>
      observability.tailLogs({ ...where, body }, { signal: leave.signal }).catch((error: unknown) => error),
    )
    await expect
      .poll(() => served.tail({ query, wait: '0s' }).catch((error: unknown) => error), { timeout: 60_000 })
      .toMatchObject({ reason: 'RATE_LIMITED' })
    leave.abort()
    await Promise.all(waiting)
    await expect
      .poll(() => served.tail({ query, wait: '0s' }).catch((error: unknown) => error), { timeout: 60_000 })
      .toMatchObject({ entries: [] })
  })
})
