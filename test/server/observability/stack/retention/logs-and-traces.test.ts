import { describe, expect, it } from 'vitest'
import { workspace } from '../api-member.ts'
import { pagesOf, retentionStack, type Pages } from './retention-members.ts'

const day = 86_400_000
const other = '01a2210c-c3ad-71cd-b4c5-a4a681bcdff4'

/** Returns the retention of logs that a Loki with some pages tells. */
async function logsOf(pages: Pages, hasTenants = false) {
  const { retentionMs } = await retentionStack('logs_url', pagesOf(pages), { hasTenants })
  return retentionMs('OBSERVABILITY_SIGNAL_LOGS')
}

const lokiConfig = (period: string, isEnabled = 'true') => `target: all
common:
  storage:
    s3:
      secret_access_key: secret
limits_config:
  reject_old_samples_max_age: 1w
  retention_period: ${period}
  retention_stream: []
compactor:
  working_directory: /var/loki/compactor
  retention_enabled: ${isEnabled}
  retention_delete_delay: 2h0m0s
`

describe('the retention of logs in Loki', () => {
  it.each([
    ['31d', 31 * day],
    ['744h', 31 * day],
    ['4w3d', 31 * day],
    ['0s', undefined],
  ])('that its configuration has as %s is %s ms', async (period, expected) => {
    const { requests, retentionMs } = await retentionStack('logs_url', pagesOf({ '/config': lokiConfig(period) }))
    expect(await retentionMs('OBSERVABILITY_SIGNAL_LOGS')).toBe(expected)
    expect(requests.map(({ path }) => path)).toEqual(['/config', '/loki/api/v1/drilldown-limits'])
    expect(requests[0]?.headers).not.toHaveProperty('x-scope-orgid')
  })

  it('of a tenant comes before that of the configuration', async () => {
    const { requests, retentionMs } = await retentionStack(
      'logs_url',
      ({ headers, path }) => {
        if (path === '/config') return { body: lokiConfig('31d') }
        const retention_period = headers['x-scope-orgid'] === other ? '1w' : '2w'
        return { body: { limits: { retention_period }, pattern_ingester_enabled: true, version: '3' } }
      },
      { hasTenants: true },
    )
    expect(await retentionMs('OBSERVABILITY_SIGNAL_LOGS')).toBe(14 * day)
    expect(await retentionMs('OBSERVABILITY_SIGNAL_LOGS', other)).toBe(7 * day)
    const tenants = requests.map(({ headers }) => headers['x-scope-orgid'])
    expect(tenants).toEqual([workspace, workspace, other, other])
  })

  it.each<readonly [string, Pages]>([
    ['a compactor that deletes nothing', { '/config': lokiConfig('31d', 'false') }],
    ['a configuration without a compactor', { '/config': 'limits_config:\n  retention_period: 31d\n' }],
    ['a configuration without limits', { '/config': 'compactor:\n  retention_enabled: true\n' }],
    ['limits alone', { '/loki/api/v1/drilldown-limits': { limits: { retention_period: '1d' } } }],
    ['another page', { '/config': '<html>compactor:</html>' }],
    ['a refusal', { '/config': { status: 403, body: 'secret' } }],
  ])('is not told by %s', async (_what, pages) => {
    expect(await logsOf(pages)).toBeUndefined()
  })

  it.each<readonly [string, Pages]>([
    ['another text', { '/config': lokiConfig('secret') }],
    ['a list', { '/config': lokiConfig('[secret]') }],
    ['an alias', { '/config': lokiConfig('*secret') }],
    ['a switch that is a map', { '/config': lokiConfig('1d', '{secret: 1}') }],
    [
      'a number of a tenant',
      { '/config': lokiConfig('1d'), '/loki/api/v1/drilldown-limits': { limits: { retention_period: 7 } } },
    ],
  ])('of %s makes the engine unavailable', async (_what, pages) => {
    await expect(logsOf(pages)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: 'logs_url of the engine far answers with a retention that is not of the API of Loki',
    })
  })
})

const tempoConfig = (compactor: string, more = '') => `target: all
storage:
    trace:
        s3:
            secret_key: secret
${compactor}:
    compaction:
        compaction_window: 1h0m0s
        block_retention: 336h0m0s
        compacted_block_retention: 1h0m0s
${more}`

/** Returns the retention of traces that a Tempo with some pages tells. */
async function tracesOf(pages: Pages, hasTenants = false) {
  const { retentionMs } = await retentionStack('traces_url', pagesOf(pages), { hasTenants })
  return retentionMs('OBSERVABILITY_SIGNAL_TRACES')
}

describe('the retention of traces in Tempo', () => {
  it.each(['compactor', 'backend_worker'])('is that of its %s', async part => {
    expect(await tracesOf({ '/status/config': tempoConfig(part) })).toBe(14 * day)
  })

  it('is that of the compactor while both are configured', async () => {
    const worker = 'backend_worker:\n    compaction:\n        block_retention: 24h0m0s\n'
    expect(await tracesOf({ '/status/config': tempoConfig('compactor', worker) })).toBe(14 * day)
  })

  it.each([
    ['overrides:\n    defaults:\n        compaction:\n            block_retention: 1w\n', 7 * day],
    ['overrides:\n    block_retention: 48h\n    max_traces_per_user: 1\n', 2 * day],
    ['overrides:\n    defaults:\n        compaction:\n            block_retention: 0s\n', 14 * day],
  ])('has the override of all tenants: %s', async (overrides, expected) => {
    expect(await tracesOf({ '/status/config': tempoConfig('compactor', overrides) })).toBe(expected)
  })

  const runtime = `overrides:
    ${workspace}:
        compaction:
            block_retention: 72h
    "${other}":
        ingestion:
            rate_limit_bytes: 1
    single-tenant:
        block_retention: 4d
    '*':
        block_retention: 5d
`
  const pages = {
    '/status/config': tempoConfig(
      'compactor',
      'overrides:\n    defaults:\n        compaction:\n            block_retention: 1w\n',
    ),
    '/status/runtime_config': runtime,
  }

  it('has the overrides of the tenant itself alone', async () => {
    const { requests, retentionMs } = await retentionStack('traces_url', pagesOf(pages), { hasTenants: true })
    expect(await retentionMs('OBSERVABILITY_SIGNAL_TRACES')).toBe(3 * day)
    // The overrides of this tenant replace the defaults, but have no retention.
    expect(await retentionMs('OBSERVABILITY_SIGNAL_TRACES', other)).toBe(14 * day)
    expect(await retentionMs('OBSERVABILITY_SIGNAL_TRACES', '01a2210c-c3ad-71cd-b4c5-a4a681bcdff5')).toBe(5 * day)
    expect(requests[0]?.headers['x-scope-orgid']).toBe(workspace)
    expect(await tracesOf(pages)).toBe(4 * day)
  })

  it.each<readonly [string, Pages]>([
    ['no page', {}],
    ['a configuration without retention', { '/status/config': 'target: all\ncompactor:\n    ring: {}\n' }],
    ['a retention of nothing', { '/status/config': tempoConfig('compactor').replace('336h0m0s', '0s') }],
    ['another page', { '/status/config': '<html>', '/status/runtime_config': '<html>' }],
    ['a refusal', { '/status/config': { status: 401, body: '' }, '/status/runtime_config': { status: 501, body: '' } }],
  ])('is not told by %s', async (_what, told) => {
    expect(await tracesOf(told)).toBeUndefined()
  })

  it.each<readonly [string, Pages]>([
    ['another text', { '/status/config': tempoConfig('compactor').replace('336h0m0s', 'secret') }],
    ['an override of another form', { ...pages, '/status/runtime_config': runtime.replace('4d', '[secret]') }],
  ])('of %s makes the engine unavailable', async (_what, told) => {
    await expect(tracesOf(told)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: 'traces_url of the engine far answers with a retention that is not of the API of Tempo',
    })
  })

  it('is not asked of Jaeger', async () => {
    const { requests, retentionMs } = await retentionStack(
      'traces_url',
      pagesOf({ '/api/v3/status/config': tempoConfig('compactor') }),
      { base: '/api/v3' },
    )
    expect(await retentionMs('OBSERVABILITY_SIGNAL_TRACES')).toBeUndefined()
    expect(requests).toEqual([])
  })
})
