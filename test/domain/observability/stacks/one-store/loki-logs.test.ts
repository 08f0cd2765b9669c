import { beforeAll, describe, expect, it } from 'vitest'
import type { LogTailInput } from '../../../../../output/observability/types.ts'
import { addMember, addTenant, type Member } from '../../../../areas/members.ts'
import { testPlatform, type TestPlatform } from '../../../../areas/test-platform.ts'
import { servedApi, type ApiAnswer, type ServedApi } from '../../../../server/observability/stack/api-member.ts'
import { LokiStore } from '../../../../server/observability/stack/loki-store.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { withStacks } from '../stack-settings.ts'

const store = new LokiStore()
/** What the store answers instead of its data. */
let fault: ApiAnswer | undefined
/** The path of the calls that get the fault; absent: all. */
let faulty: string | undefined
let platform: TestPlatform
let admin: Member
let member: ServedApi
let mine: string
let theirs: string

beforeAll(async () => {
  member = await servedApi(request => faultOf(request.path) ?? store.serve(request), afterTests)
  const given = withStacks(
    { name: 'far', logs_url: member.url },
    { name: 'tenants', logs_url: member.url, multi_tenant: true },
  )
  platform = await testPlatform({ config: { given }, later: afterTests })
  admin = await platform.admin()
  mine = (await addTenant(admin.api, 'acme')).workspace
  theirs = (await addTenant(admin.api, 'other')).workspace
})

const faultOf = (path: string) => (faulty === undefined || path.endsWith(faulty) ? fault : undefined)

const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n

/** Adds an entry with the time of now, or of some milliseconds before. */
const add = (service: string, line: string, { ageMs = 0, workspace = mine } = {}): void =>
  store.add({ service_name: service, workspace_id: workspace }, nanos(Date.now() - ageMs), line)

const tail = (body: LogTailInput, workspace = mine, engine = 'far') =>
  admin.api.observability.tailLogs({ workspace, engine, body })

const linesOf = ({ entries }: Awaited<ReturnType<typeof tail>>) => entries.map(({ line }) => line)

describe('a tail of logs in a stack', () => {
  const query = '{service_name="tailed"} |= "wanted"'

  it('answers an entry that arrives late once it is there, and nothing of before, twice, or of others', async () => {
    add('tailed', 'wanted before')
    const { cursor, entries } = await tail({ query, wait: '0s' })
    expect(entries).toEqual([])
    const waiting = tail({ query, cursor, wait: '20s' })
    add('tailed', 'other')
    add('tailed', 'wanted of others', { workspace: theirs })
    const begun = performance.now()
    add('tailed', 'wanted 1', { ageMs: 30_000 })
    const next = await waiting
    expect(next).toMatchObject({
      entries: [{ line: 'wanted 1', labels: { service_name: 'tailed' }, metadata: {} }],
      skipped_count: 0,
    })
    expect(next.entries[0]?.labels).toEqual({ service_name: 'tailed' })
    // Machines under load are slow; the wait is 20 seconds.
    expect(performance.now() - begun).toBeLessThan(15_000)
    expect(linesOf(await tail({ query, cursor: next.cursor, wait: '1s' }))).toEqual([])
    // The answer may have been lost.
    expect(linesOf(await tail({ query, cursor, wait: '1s' }))).toEqual(['wanted 1'])
  })

  it('goes on over calls with a limit', async () => {
    let { cursor } = await tail({ query, wait: '0s' })
    const sent = Array.from({ length: 25 }, (_, i) => `wanted ${i} of many`)
    for (const line of sent) add('tailed', line)
    const lines: string[] = []
    while (lines.length < sent.length) {
      const answer = await tail({ query, cursor, limit: 4, wait: '10s' })
      expect(answer.entries.length).toBeGreaterThan(0)
      lines.push(...linesOf(answer))
      cursor = answer.cursor
    }
    expect(lines.toSorted()).toEqual(sent.toSorted())
    expect(linesOf(await tail({ query, cursor, wait: '0s' }))).toEqual([])
  })

  it('begins with the entries that have times since a time', async () => {
    add('history', 'old', { ageMs: 3 * 3_600_000 })
    add('history', 'new', { ageMs: 3_600_000 })
    const start_time = new Date(Date.now() - 2 * 3_600_000).toISOString()
    expect(linesOf(await tail({ query: '{service_name="history"}', start_time, wait: '5s' }))).toEqual(['new'])
  })

  it('refuses cursors of other queries, engines and workspaces, metric queries, and the label of the workspace', async () => {
    const { cursor } = await tail({ query, wait: '0s' })
    for (const asked of [
      tail({ query, cursor: `${cursor}x`, wait: '0s' }),
      tail({ query: '{service_name="other"}', cursor, wait: '0s' }),
      tail({ query, cursor, wait: '0s' }, theirs),
      tail({ query, cursor, wait: '0s' }, mine, 'native'),
    ])
      expect(await outcomeOf(asked)).toBe('TAIL_CURSOR_INVALID')
    const before = member.requests.length
    const faults: readonly (readonly [string, string])[] = [
      [`count_over_time(${query}[1m])`, 'QUERY_TYPE_INVALID'],
      [`${query} | workspace_id="x"`, 'QUERY_FEATURE_UNSUPPORTED'],
      ['{workspace_id=~".+"}', 'QUERY_FEATURE_UNSUPPORTED'],
      ['{service_name=', 'QUERY_SYNTAX_INVALID'],
      ['{}', 'SELECTOR_EMPTY'],
    ]
    for (const [text, reason] of faults) expect(await outcomeOf(tail({ query: text, wait: '0s' }))).toBe(reason)
    expect(member.requests).toHaveLength(before)
  })

  it('needs its own permission', async () => {
    const stranger = await addMember(platform, admin.api, { email: 'stranger@example.com' })
    const asked = stranger.api.observability.tailLogs({ workspace: mine, engine: 'far', body: { query } })
    expect(await outcomeOf(asked)).toBe('IAM_PERMISSION_DENIED')
  })

  it('whose caller leaves asks the store no more', async () => {
    const { cursor } = await tail({ query, wait: '0s' })
    const leave = new AbortController()
    const body = { query, cursor, wait: '30s' }
    const asked = admin.api.observability.tailLogs({ workspace: mine, engine: 'far', body }, { signal: leave.signal })
    await expect.poll(() => member.requests.length).toBeGreaterThan(0)
    leave.abort()
    await expect(asked).rejects.toThrow()
    await expect
      .poll(async () => {
        const before = member.requests.length
        await new Promise(resolve => setTimeout(resolve, 1_500))
        return member.requests.length - before
      })
      .toBe(0)
  })

  it('fails with the fault of the store, and goes on with its cursor', async () => {
    const { cursor } = await tail({ query, wait: '0s' })
    add('tailed', 'wanted through a fault')
    fault = { status: 502, body: 'secret' }
    expect(await outcomeOf(tail({ query, cursor, wait: '5s' }))).toBe('ENGINE_UNAVAILABLE')
    fault = { body: { status: 'success', data: { resultType: 'matrix', result: [] } } }
    expect(await outcomeOf(tail({ query, cursor, wait: '5s' }))).toBe('ENGINE_UNAVAILABLE')
    const values = [[String(nanos(Date.now())), 'wanted secret']]
    const result = [{ stream: { workspace_id: theirs }, values }]
    fault = { body: { status: 'success', data: { resultType: 'streams', result } } }
    expect(await outcomeOf(tail({ query, cursor, wait: '5s' }))).toBe('ENGINE_UNAVAILABLE')
    fault = undefined
    expect(linesOf(await tail({ query, cursor, wait: '5s' }))).toEqual(['wanted through a fault'])
  })
})

it('a tail that has begun has a cursor, also if the store fails then', async () => {
  const query = '{service_name="begun"}'
  const since = new Date(Date.now() - 60_000).toISOString()
  fault = { status: 429, body: 'too many' }
  const begun = await tail({ query, start_time: since, wait: '5s' })
  expect(begun.entries).toEqual([])
  expect(await outcomeOf(tail({ query, wait: '0s' }))).toBe('ENGINE_UNAVAILABLE')
  fault = undefined
  add('begun', 'meanwhile', { ageMs: 1_000 })
  expect(linesOf(await tail({ query, cursor: begun.cursor, wait: '5s' }))).toEqual(['meanwhile'])
})

describe('the streams of a stack', () => {
  const list = (
    more: { start_time?: string; end_time?: string; filter?: string } = {},
    workspace = mine,
    engine = 'far',
  ) => admin.api.observability.listLogStreams({ workspace, engine, ...more })
  /** An hour that no other test uses. */
  const hour = Date.UTC(2026, 0, 15, 9)
  const at = (ms: number): string => new Date(hour + ms).toISOString()
  const addAt = (labels: Record<string, string>, ms: number, line: string) =>
    store.add({ workspace_id: mine, ...labels }, nanos(hour + ms), line)

  beforeAll(() => {
    for (const [ms, line] of [
      [-1, 'too early'],
      [0, 'first'],
      [60_000, 'ünd'],
      [3_599_999, 'last one'],
      [3_600_000, 'too late'],
    ] as const)
      addAt({ service_name: 'api', pod: 'a "1"' }, ms, line)
    addAt({ service_name: 'web' }, 1_234, 'x')
    addAt({ job: 'cron' }, 5_000, 'without a service')
    addAt({ service_name: 'gone' }, -1, 'too early')
    addAt({ service_name: 'spy', workspace_id: theirs }, 5_000, 'of others')
  })

  it('are those with entries between two times, with their sums there', async () => {
    const { log_streams: streams } = await list({ start_time: at(0), end_time: at(3_600_000) })
    expect(streams).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        labels: { service_name: 'api', pod: 'a "1"' },
        first_time: '2026-01-15T09:00:00.000000000Z',
        last_time: '2026-01-15T09:59:59.999000000Z',
        entry_count: 3,
        bytes: 'first'.length + 4 + 'last one'.length,
      },
      expect.objectContaining({ labels: { job: 'cron' }, entry_count: 1, bytes: 17 }),
      expect.objectContaining({ labels: { service_name: 'web' }, first_time: '2026-01-15T09:00:01.234000000Z' }),
    ])
    const [narrow] = (await list({ start_time: at(1), end_time: at(3_599_999) })).log_streams
    expect(narrow).toMatchObject({
      labels: { service_name: 'api' },
      entry_count: 1,
      first_time: `${at(60_000).slice(0, -1)}000000Z`,
    })
    const { log_streams: filtered } = await list({
      start_time: at(0),
      end_time: at(3_600_000),
      filter: 'labels.service_name = "web"',
    })
    expect(filtered.map(({ labels }) => labels)).toEqual([{ service_name: 'web' }])
  })

  it('are all streams of a tenant, whatever labels they have', async () => {
    const { log_streams: streams } = await list({ start_time: at(0), end_time: at(3_600_000) }, mine, 'tenants')
    expect(streams.map(({ labels }) => labels['service_name'] ?? labels['job']).toSorted()).toEqual([
      'api',
      'cron',
      'spy',
      'web',
    ])
    expect(streams.every(({ labels }) => 'workspace_id' in labels)).toBe(true)
  })

  it('are those of the last six hours without a start', async () => {
    add('recent', 'x', { ageMs: 60_000 })
    add('older', 'x', { ageMs: 7 * 3_600_000 })
    const services = (await list()).log_streams.map(({ labels }) => labels['service_name'])
    expect(services).toContain('recent')
    expect(services).not.toContain('older')
  })

  it('are none in a range without entries', async () => {
    expect((await list({ start_time: at(-86_400_000), end_time: at(-80_000_000) })).log_streams).toEqual([])
    expect((await list({ start_time: at(0), end_time: at(0) })).log_streams).toEqual([])
    expect(await outcomeOf(list({ start_time: at(1), end_time: at(0) }))).toBe('QUERY_RANGE_INVALID')
  })

  it.each<readonly [string, ApiAnswer, string]>([
    ['status 400', { status: 400, body: 'the query time range exceeds the limit' }, 'QUERY_LIMIT_EXCEEDED'],
    ['no workspace', { body: { status: 'success', data: [{ a: 'b' }] } }, 'ENGINE_UNAVAILABLE'],
    ['status 422', { status: 422, body: 'too many' }, 'QUERY_LIMIT_EXCEEDED'],
    ['an object', { body: { status: 'success', data: { a: 'b' } } }, 'ENGINE_UNAVAILABLE'],
    ['labels that are no texts', { body: { status: 'success', data: [{ a: 1 }] } }, 'ENGINE_UNAVAILABLE'],
    ['another workspace', { body: { status: 'success', data: [{ workspace_id: 'x' }] } }, 'ENGINE_UNAVAILABLE'],
  ])('that the store answers with %s are an error', async (_what, answer, reason) => {
    fault = answer
    const outcome = await outcomeOf(list({ start_time: at(0), end_time: at(3_600_000) }))
    fault = undefined
    expect(outcome).toBe(reason)
  })

  it('are divided neither by metadata with the names of labels, nor by labels with the names of queries', async () => {
    const day = hour - 86_400_000
    const addOf = (labels: Record<string, string>, ms: number, metadata = {}) =>
      store.add({ workspace_id: mine, ...labels }, nanos(day + ms), `line ${ms}`, metadata)
    addOf({ app: 'a', pod: 'p1' }, 1)
    for (let ms = 2; ms < 7; ms += 1) addOf({ service_name: 'b' }, ms, ms > 2 ? { pod: `m${ms}` } : {})
    addOf({ service_name: 'c' }, 7, { pod: 'p1', app: 'x' })
    addOf({ service_name: 'd', ninefold_entry_ms: '5' }, 8)
    addOf({ service_name: 'd', ninefold_entry_ms: '5' }, 9)
    const range = { start_time: new Date(day).toISOString(), end_time: new Date(day + 1_000).toISOString() }
    for (const engine of ['far', 'tenants']) {
      const { log_streams: streams } = await list(range, mine, engine)
      expect(
        streams.map(({ entry_count, labels }) => [labels['app'] ?? labels['service_name'], entry_count]).toSorted(),
      ).toEqual([
        ['a', 1],
        ['b', 5],
        ['c', 1],
        ['d', 2],
      ])
    }
  })

  it.each(['a) (x', 'service.name', 'a, workspace_id', ''])('may not have the label %j', async name => {
    fault = { body: { status: 'success', data: [{ workspace_id: mine, [name]: 'x' }] } }
    const before = member.requests.length
    const outcome = await outcomeOf(list({ start_time: at(0), end_time: at(1_000) }))
    fault = undefined
    expect([outcome, member.requests.length - before]).toEqual(['ENGINE_UNAVAILABLE', 1])
  })

  it('count as queries', async () => {
    const many = Array.from({ length: 40 }, () => outcomeOf(list({ start_time: at(0), end_time: at(3_600_000) })))
    expect(new Set(await Promise.all(many))).toEqual(new Set(['OK', 'QUOTA_EXCEEDED']))
  })

  it('are too many for the store where it refuses the sums', async () => {
    ;[fault, faulty] = [{ status: 400, body: 'maximum of series (500) reached for a single query' }, '/query']
    const outcome = await outcomeOf(list({ start_time: at(0), end_time: at(3_600_000) }))
    ;[fault, faulty] = [undefined, undefined]
    expect(outcome).toBe('QUERY_LIMIT_EXCEEDED')
  })
})
