import { describe, expect, it } from 'vitest'
import { workspace } from '../api-member.ts'
import { pagesOf, retentionStack, success, type Pages } from './retention-members.ts'

const day = 86_400_000

const [runtimeInfo, flags] = ['/api/v1/status/runtimeinfo', '/api/v1/status/flags']

/** Returns the retention that a member with some pages tells. */
async function retentionOf(pages: Pages, base = '') {
  const { retentionMs } = await retentionStack('metrics_url', pagesOf(pages), { base })
  return retentionMs('OBSERVABILITY_SIGNAL_METRICS')
}

describe('the retention of metrics', () => {
  it.each([
    ['15d', 15 * day],
    ['1d12h', 1.5 * day],
    ['1y or 5GiB', 365 * day],
    ['30d or 512.5MB or 80%', 30 * day],
    ['10GiB', undefined],
    ['1GiB512MiB', undefined],
    ['15d or 1GiB476MiB', 1_296_000_000],
    ['80%', undefined],
    ['0s', undefined],
  ])('that Prometheus tells as %s is %s ms', async (storageRetention, expected) => {
    const { requests, retentionMs } = await retentionStack(
      'metrics_url',
      pagesOf({ [runtimeInfo]: success({ storageRetention, CWD: '/secret' }) }),
    )
    expect(await retentionMs('OBSERVABILITY_SIGNAL_METRICS')).toBe(expected)
    expect(requests.map(({ path }) => path)).toEqual([runtimeInfo])
  })

  it.each([
    [{ 'storage.tsdb.retention.time': '30d', 'storage.tsdb.retention.size': '0B' }, 30 * day],
    [{ 'storage.tsdb.retention.time': '0s', 'storage.tsdb.retention.size': '0B' }, 15 * day],
    [{ 'storage.tsdb.retention.time': '0s', 'storage.tsdb.retention.size': '10GiB' }, undefined],
    [{ 'storage.tsdb.retention.time': '0s', 'storage.tsdb.retention': '7d' }, 7 * day],
    [{ 'storage.tsdb.retention': '15d' }, 15 * day],
    [{ 'query.timeout': '2m' }, undefined],
  ])('that an older Prometheus tells by its flags %j is %s ms', async (data, expected) => {
    expect(await retentionOf({ [flags]: success(data) })).toBe(expected)
    // Thanos has both pages, but no retention in either.
    expect(await retentionOf({ [runtimeInfo]: success({ CWD: '/' }), [flags]: success(data) })).toBe(expected)
  })

  it.each([
    ['1y', 365 * day],
    ['13w', 91 * day],
    ['0s', undefined],
  ])('that Mimir tells a tenant as %s is %s ms', async (period, expected) => {
    const pages = { '/api/v1/user_limits': { ingestion_rate: 1, compactor_blocks_retention_period: period } }
    const { requests, retentionMs } = await retentionStack(
      'metrics_url',
      pagesOf({ ...pages, '/prometheus/api/v1/status/flags': success({}) }),
      { base: '/prometheus/', hasTenants: true },
    )
    expect(await retentionMs('OBSERVABILITY_SIGNAL_METRICS')).toBe(expected)
    expect(requests.map(({ path }) => path)).toEqual([
      '/prometheus/api/v1/status/runtimeinfo',
      '/prometheus/api/v1/status/flags',
      '/api/v1/user_limits',
    ])
    expect(requests.map(({ headers }) => headers['x-scope-orgid'])).toEqual(requests.map(() => workspace))
  })

  it('of a Mimir without limits of tenants is that of its configuration', async () => {
    const config = 'target: all\nlimits:\n    ingestion_rate: 10000\n    compactor_blocks_retention_period: 30d\n'
    expect(await retentionOf({ '/config': config }, '/prometheus')).toBe(30 * day)
    expect(await retentionOf({ '/config': config.replace('30d', '0s') }, '/prometheus')).toBeUndefined()
  })

  it.each(['', '/prometheus', '/select/0/prometheus/'])(
    'of VictoriaMetrics below %s is that of its flags, set or not',
    async base => {
      const root = base.replace(/\/prometheus\/?$/, '')
      const set = '-httpListenAddr=":8428"\n-retentionPeriod="45d"\n-storageDataPath="/secret"\n'
      expect(await retentionOf({ [`${root}/flags`]: set }, base)).toBe(45 * day)
      const pages = {
        [`${root}/flags`]: '-httpListenAddr=":8428"\n',
        [`${root}/metrics`]:
          'process_cpu_seconds_total 1\nflag{name="retentionPeriod", value="1", is_set="false"} 1\nflag{name="x", value="2"} 1\n',
      }
      expect(await retentionOf(pages, base)).toBe(31 * day)
    },
  )

  it.each<readonly [string, Pages]>([
    ['no page', {}],
    ['pages of HTML', { [runtimeInfo]: '<html>', [flags]: '<html>', '/flags': '<html>-retentionPeriod="1d"' }],
    ['lists', { [runtimeInfo]: [], [flags]: '[]', '/api/v1/user_limits': '[]', '/config': '- a' }],
    ['deep JSON', { [runtimeInfo]: '['.repeat(100_000), '/api/v1/user_limits': '{"a":'.repeat(100_000) }],
    ['errors', { [runtimeInfo]: { body: { status: 'error', data: { storageRetention: '1d' } } } }],
    [
      'refusals',
      Object.fromEntries(
        [
          [runtimeInfo, 401],
          ['/config', 403],
          ['/flags', 501],
        ].map(([path, status]) => [String(path), { status: Number(status), body: '' }]),
      ),
    ],
    ['metrics of another program', { '/flags': '<html>', '/metrics': 'flag{name="retentionPeriod", value="1d"} 1\n' }],
    ['a metric without flags', { '/flags': '-a="b"\n', '/metrics': 'flag{name="other", value="1"} 1\n' }],
    ['no bytes of UTF-8', { [runtimeInfo]: Buffer.of(0xff, 0xfe), '/config': Buffer.of(0xff, 0xfe) }],
  ])('is not told by %s', async (_what, pages) => {
    expect(await retentionOf(pages)).toBeUndefined()
  })

  it.each<readonly [string, Pages]>([
    ['another text', { [runtimeInfo]: success({ storageRetention: 'secret' }) }],
    ['two durations', { [runtimeInfo]: success({ storageRetention: '1d or 2d' }) }],
    ['a number', { [runtimeInfo]: success({ storageRetention: 15 }) }],
    ['a list', { [runtimeInfo]: success({ storageRetention: ['secret'] }) }],
    ['a long text', { [runtimeInfo]: success({ storageRetention: '1d or '.repeat(100_000) }) }],
    ['a flag of another form', { [flags]: success({ 'storage.tsdb.retention.time': 'secret' }) }],
    ['a limit of another form', { '/api/v1/user_limits': { compactor_blocks_retention_period: 15 } }],
    ['a limit that is nothing', { '/api/v1/user_limits': '{"compactor_blocks_retention_period":null}' }],
    ['an alias', { '/config': 'limits:\n  compactor_blocks_retention_period: *secret\n' }],
    ['a period of another form', { '/flags': '-retentionPeriod="secret"\n' }],
    ['a period of 20,000 years', { '/flags': '-retentionPeriod="20000y"\n' }],
  ])('of %s makes the engine unavailable', async (_what, pages) => {
    await expect(retentionOf(pages)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: 'metrics_url of the engine far answers with a retention that is not of the API of Prometheus',
    })
  })

  it.each([
    [500, 'answers with status 500'],
    [503, 'answers with status 503'],
    [429, 'answers with status 429'],
    [302, 'answers with a redirection'],
  ])('of a member that answers with status %i makes the engine unavailable', async (status, message) => {
    const pages = { [runtimeInfo]: { status, body: 'secret' } }
    await expect(retentionOf(pages)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: `metrics_url of the engine far ${message}`,
    })
  })

  it('in a text above 2 MiB makes the engine unavailable', async () => {
    const pages = { '/config': `limits:\n  compactor_blocks_retention_period: 1d\n${'#\n'.repeat(2 ** 20)}` }
    await expect(retentionOf(pages)).rejects.toThrow('metrics_url of the engine far answers with settings above 2 MiB')
  })

  it('is no retention of other signals', async () => {
    const { requests, retentionMs } = await retentionStack(
      'metrics_url',
      pagesOf({ [runtimeInfo]: success({ storageRetention: '15d' }) }),
    )
    expect(await retentionMs('OBSERVABILITY_SIGNAL_LOGS')).toBeUndefined()
    expect(await retentionMs('OBSERVABILITY_SIGNAL_TRACES')).toBeUndefined()
    expect(requests).toEqual([])
  })
})
