import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AlertRuleInput } from '../../../../../output/observability/types.ts'
import { servedApi, type ServedApi } from '../../../../server/observability/stack/api-member.ts'
import { afterTests } from '../../../../undo.ts'
import { outcomeOf } from '../../../outcomes.ts'
import {
  AlertWorld,
  downRule,
  eventually,
  serveAlerts,
  settlesAt,
  type ServedAlerts,
} from '../../alerts/served-alerts.ts'
import { withStacks } from '../stack-settings.ts'

/** An alert that Alertmanager has got. */
interface Posted {
  readonly labels: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
}

const world = new AlertWorld()
let served: ServedAlerts
let alertmanager: ServedApi
/** The elements of the results of all queries. */
let elements: object[] = []
/** Further members of the answers to queries. */
let more: object = {}

beforeAll(async () => {
  const metrics = await servedApi(() => {
    const data = { resultType: 'vector', result: elements.map(metric => ({ metric, value: [1, '0'] })) }
    return { body: { status: 'success', data, ...more } }
  }, afterTests)
  alertmanager = await servedApi(() => ({ body: '' }), afterTests)
  const given = withStacks(
    { name: 'far', metrics_url: metrics.url, alertmanager_url: alertmanager.url },
    { name: 'logs', logs_url: metrics.url },
    { name: 'tenants', metrics_url: metrics.url, multi_tenant: true },
    { name: 'empty' },
  )
  served = await serveAlerts(world, afterTests, { engine: 'far', config: { given } })
})

beforeEach(() => {
  alertmanager.requests.length = 0
  elements = []
  more = {}
})

const posted = (): readonly Posted[] => alertmanager.requests.flatMap(({ body }) => JSON.parse(body.toString()))

describe('an alert rule of a stack', () => {
  it('is evaluated over the stack, and its alerts go to the Alertmanager of the stack and to receivers', async () => {
    const { workspace } = served.path
    elements = [{ __name__: 'up', job: 'api', workspace_id: workspace }]
    const id = await served.create({ ...downRule, for: '0s' })
    const firing = await served.next(id)
    expect(firing).toMatchObject({
      state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
      health: 'OBSERVABILITY_RULE_HEALTH_OK',
    })
    await eventually(() => expect(posted()).toHaveLength(1))
    const tick = String(firing.last_evaluation_time)
    expect(posted()[0]).toMatchObject({
      labels: { alertname: 'target-down', job: 'api', alert_rule_id: id, severity: 'warning', workspace_id: workspace },
      startsAt: tick,
      endsAt: new Date(Date.parse(tick) + 40_000).toISOString(),
      generatorURL: expect.stringContaining(`/engines/far/alert-rules/${id}`),
    })
    await eventually(() => expect(world.received.map(({ body }) => body.status)).toEqual(['firing']))
    elements = []
    const over = await served.next(id)
    expect(over.state).toBe('OBSERVABILITY_ALERT_RULE_STATE_INACTIVE')
    await eventually(() => expect(posted()).toHaveLength(2))
    expect(posted()[1]).toMatchObject({ startsAt: tick, endsAt: over.last_evaluation_time })
    await served.next(id)
    await settlesAt(alertmanager.requests, 2)
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('sends no alerts to Alertmanager that a silence covers', async () => {
    const { workspace } = served.path
    elements = [{ job: 'quiet' }]
    const end_time = new Date(world.time.now + 3_600_000).toISOString()
    const matchers = [{ name: 'job', value: 'quiet' }]
    await served.api.createSilence({ workspace, body: { matchers, end_time, comment: 'planned' } })
    const id = await served.create({ ...downRule, name: 'silenced', for: '0s' })
    expect(await served.next(id)).toMatchObject({ state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING' })
    await settlesAt(alertmanager.requests, 0)
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('has no data if no selector has matched a series', async () => {
    const id = await served.create({
      ...downRule,
      name: 'absent',
      no_data_action: 'OBSERVABILITY_NO_DATA_ACTION_FIRE',
      for: '0s',
    })
    expect(await served.next(id)).toMatchObject({
      health: 'OBSERVABILITY_RULE_HEALTH_NO_DATA',
      state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
    })
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  describe.each([
    ['far', downRule.language, downRule.query, 'metrics_url'],
    ['logs', 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL', 'count_over_time({a="b"}[1m]) > 0', 'logs_url'],
  ] as const)('over %s', (engine, language, query, setting) => {
    const partial = [['a partial response', [{ job: 'api' }], { isPartial: true }]] as const
    it.each<readonly [string, readonly object[], object]>([
      ['elements', [{ job: 'api' }], { warnings: ['no answer of db-3.internal.example'] }],
      ['no elements', [], { warnings: ['No StoreAPIs matched for this query'] }],
      ...(setting === 'metrics_url' ? partial : []),
    ])('keeps its alerts when a member answers %s of which others may lack', async (_what, found, doubts) => {
      const { workspace } = served.path
      const rule = { ...downRule, name: 'doubtful', for: '0s', query, ...(language !== undefined && { language }) }
      elements = [{ job: 'kept' }]
      const { resource_id: id } = await served.api.createAlertRule({ workspace, engine, body: rule })
      const next = () => served.next(id, engine)
      const { alert_count, state } = await next()
      expect([state, alert_count]).toEqual(['OBSERVABILITY_ALERT_RULE_STATE_FIRING', 1])
      elements = [...found]
      more = doubts
      expect(await next()).toMatchObject({
        health: 'OBSERVABILITY_RULE_HEALTH_ERROR',
        last_error: `ENGINE_UNAVAILABLE: ${setting} of the engine ${engine} has answered with warnings; its data may be incomplete`,
        state,
        alerts: [{ labels: { job: 'kept' } }],
      })
      elements = [{ job: 'api' }]
      more = {}
      expect(await next()).toMatchObject({ health: 'OBSERVABILITY_RULE_HEALTH_OK', last_error: '' })
      await served.api.deleteAlertRule({ workspace, engine, id })
    })
  })

  it('is evaluated although a store warns about its query', async () => {
    const id = await served.create({ ...downRule, name: 'annotated', for: '0s' })
    elements = [{ job: 'api' }]
    more = { warnings: ['PromQL info: metric might not be a counter', 'PromQL warning: invalid quantile'] }
    expect(await served.next(id)).toMatchObject({
      health: 'OBSERVABILITY_RULE_HEALTH_OK',
      last_error: '',
      state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
    })
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('is refused without a store for its language', async () => {
    const logRule = {
      name: 'log-rule',
      language: 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL',
      query: 'sum(rate({a="b"}[1m])) > 1',
    } as const
    const create = (engine: string, body: AlertRuleInput) =>
      outcomeOf(served.api.createAlertRule({ ...served.path, engine, body }))
    expect(await create('empty', downRule)).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
    expect(await create('far', logRule)).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
    const id = await served.create({ ...downRule, name: 'changed' })
    const update = served.api.updateAlertRule({
      ...served.path,
      id,
      body: { language: logRule.language, query: logRule.query },
    })
    expect(await outcomeOf(update)).toBe('ENGINE_CAPABILITY_UNSUPPORTED')
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it.each([
    ['far', downRule.language, 'up{workspace_id="x"} == 0', 'QUERY_FEATURE_UNSUPPORTED'],
    ['logs', 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL', 'rate({workspace_id="x"}[1m]) > 1', 'QUERY_FEATURE_UNSUPPORTED'],
    ['tenants', downRule.language, 'up{workspace_id="x"} == 0', 'OK'],
    ['native', downRule.language, 'up{workspace_id="x"} == 0', 'OK'],
  ] as const)(
    'of the engine %s in %s has for the query %s the outcome %s',
    async (engine, language, query, outcome) => {
      const { workspace } = served.path
      const given = { ...downRule, name: 'reserved', ...(language !== undefined && { language }) }
      expect(await outcomeOf(served.api.createAlertRule({ workspace, engine, body: { ...given, query } }))).toBe(
        outcome,
      )
      const allowed = language === undefined ? 'up == 0' : 'rate({a="b"}[1m]) > 1'
      const body = { ...given, name: 'changed', query: allowed }
      const { resource_id: id } = await served.api.createAlertRule({ workspace, engine, body })
      const changed = { update_mask: 'query', body: { query } }
      expect(await outcomeOf(served.api.updateAlertRule({ workspace, engine, id, ...changed }))).toBe(outcome)
      await served.api.deleteAlertRule({ workspace, engine, id })
    },
  )
})
