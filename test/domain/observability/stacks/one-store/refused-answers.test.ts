import { beforeAll, describe, expect, it } from 'vitest'
import { addTenant } from '../../../../areas/members.ts'
import { testPlatform } from '../../../../areas/test-platform.ts'
import { modelOf } from '../../../../conformance/model.ts'
import { servedApi, type ApiAnswer } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import { withStacks } from '../stack-settings.ts'

/** What the members of the stacks answer to each request. */
let reply: ApiAnswer

/** Returns the reasons that an operation documents for itself. */
let documented: (operation: string) => readonly string[]
let calls: readonly (readonly [operation: string, call: () => Promise<unknown>])[]

beforeAll(async () => {
  const { url } = await servedApi(() => reply, afterTests)
  const all = { metrics_url: url, logs_url: url, traces_url: url }
  const given = withStacks(
    { name: 'whole', ...all },
    { name: 'tenants', ...all, multi_tenant: true },
    { name: 'jaeger', traces_url: `${url}/api/v3` },
  )
  const { document } = await modelOf('observability')
  documented = operation => document.operations.find(each => each.id === operation)?.raises ?? []
  const platform = await testPlatform({ config: { given }, later: afterTests })
  const { api } = await platform.admin()
  const { workspace } = await addTenant(api, 'acme')
  const { observability } = api
  const [metrics, jaeger] = [
    { workspace, engine: 'whole' },
    { workspace, engine: 'jaeger' },
  ]
  const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T01:00:00Z' }
  const id = '5b8efff798038103d269b633813fc60c'
  reply = { body: { status: 'success', data: { storageRetention: '15d' } } }
  const { retention_policies } = await observability.listRetentionPolicies(metrics)
  const policy = retention_policies[0]?.id ?? ''
  calls = [
    ['queryMetrics', () => observability.queryMetrics({ ...metrics, body: { query: 'up' } })],
    [
      'queryMetricsRange',
      () => observability.queryMetricsRange({ ...metrics, body: { query: 'up', step: '60s', ...times } }),
    ],
    ['listMetricDescriptors', () => observability.listMetricDescriptors(metrics)],
    ['listMetricDescriptors', () => observability.listMetricDescriptors({ workspace, engine: 'tenants' })],
    ['listMetricLabels', () => observability.listMetricLabels(metrics)],
    ['listMetricLabels', () => observability.listMetricLabels({ ...metrics, match: ['up'] })],
    ['listRetentionPolicies', () => observability.listRetentionPolicies(metrics)],
    ['listRetentionPolicies', () => observability.listRetentionPolicies({ workspace, engine: 'tenants' })],
    ['getRetentionPolicy', () => observability.getRetentionPolicy({ ...metrics, id: policy })],
    ['queryLogs', () => observability.queryLogs({ ...metrics, body: { query: '{a="b"}' } })],
    ['queryLogs', () => observability.queryLogs({ ...metrics, body: { query: 'rate({a="b"}[1m])' } })],
    ['listLogStreams', () => observability.listLogStreams(metrics)],
    ['tailLogs', () => observability.tailLogs({ ...metrics, body: { query: '{a="b"}', wait: '0s' } })],
    ['getTrace', () => observability.getTrace({ ...metrics, id })],
    ['getTrace', () => observability.getTrace({ ...jaeger, id })],
    ['getServiceGraph', () => observability.getServiceGraph(metrics)],
    ['getServiceGraph', () => observability.getServiceGraph({ workspace, engine: 'tenants' })],
    ['searchTraces', () => observability.searchTraces({ ...metrics, body: {} })],
    ['searchTraces', () => observability.searchTraces({ ...jaeger, body: { service: 'api' } })],
  ]
})

const prometheusError = (errorType: string) => ({ status: 'error', errorType, error: 'secret' })

const answers: readonly (readonly [string, ApiAnswer])[] = [
  ...[200, 204, 206, 304, 400, 401, 404, 408, 413, 414, 418, 422, 429, 500, 502, 503, 504].map(
    status => [`status ${status} in text`, { status, body: status === 204 || status === 304 ? '' : 'secret' }] as const,
  ),
  ...[
    [400, 'bad_data'],
    [422, 'execution'],
    [422, 'too_many_series'],
    [422, 'bad_data'],
    [503, 'timeout'],
    [503, 'canceled'],
    [404, 'not_found'],
    [406, 'not_acceptable'],
    [200, 'execution'],
    [400, 'timeout'],
  ].map(
    ([status, type]) =>
      [`status ${status} and ${type}`, { status: Number(status), body: prometheusError(String(type)) }] as const,
  ),
  ['more than 10 MiB', { body: Buffer.alloc(10 * 2 ** 20 + 1, ' ') }],
  ['more than 10 MiB in an error', { status: 422, body: Buffer.alloc(10 * 2 ** 20 + 1, ' ') }],
]

describe('an operation whose member answers with', () => {
  it.each(answers)('%s answers with a reason that it documents', async (_what, answer) => {
    reply = answer
    for (const [operation, call] of calls) {
      const reason = await outcomeOf(call())
      expect([operation, ...documented(operation), 'ENGINE_UNAVAILABLE', 'OK']).toContain(reason)
    }
  })
})
