import { beforeAll, describe, expect, it } from 'vitest'
import type { AlertRuleInput } from '../../../../output/observability/types.ts'
import { addMember, roleAt } from '../../../areas/members.ts'
import { afterTests } from '../../../undo.ts'
import { outcomeOf } from '../../outcomes.ts'
import { AlertWorld, serveAlerts, settlesAt, type ServedAlerts } from './served-alerts.ts'

const world = new AlertWorld()
let served: ServedAlerts
let names = 0

beforeAll(async () => {
  served = await serveAlerts(world, afterTests)
})

const rules = 'observability.alertRules'
const language = 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL'
const errors = 'sum by (service_name) (count_over_time({service_name="api"} |= "error" [1m])) > 1'
const body = (more: Partial<AlertRuleInput> = {}): AlertRuleInput => ({
  name: `log-rule-${(names += 1)}`,
  language,
  query: errors,
  evaluation_interval: '10s',
  ...more,
})

it('a rule in LogQL fires for lines, notifies, and ends when the lines leave the window', async () => {
  const receivers = [{ name: 'hook', webhook: { url: 'https://alerts.example/hook' } }]
  const annotations = { summary: '{{ $labels.service_name }} logged {{ $value }} errors' }
  const id = await served.create(body({ receivers, annotations, group_interval: '30s' }))
  world.log({ service_name: 'api' }, 'error a', 'error b', 'fine')
  const firing = await served.next(id)
  expect(firing).toMatchObject({
    state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
    health: 'OBSERVABILITY_RULE_HEALTH_OK',
    alerts: [{ labels: { service_name: 'api', severity: 'warning' }, value: '2' }],
  })
  await settlesAt(world.received, 1)
  expect(world.received[0]?.body).toMatchObject({
    status: 'firing',
    alerts: [{ annotations: { summary: 'api logged 2 errors' } }],
  })
  world.time.now += 60_000
  expect(await served.next(id)).toMatchObject({ state: 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE', alerts: [] })
  await settlesAt(world.received, 2)
  expect(world.received[1]?.body).toMatchObject({ status: 'resolved' })
  await served.api.deleteAlertRule({ ...served.path, id })
})

describe('a rule in LogQL without a result', () => {
  const quiet = 'count_over_time({service_name="quiet"} |= "error" [1m]) > 0'

  it('has data as long as a selected stream has lines, and none afterwards', async () => {
    const id = await served.create(
      body({ query: quiet, no_data_action: 'OBSERVABILITY_NO_DATA_ACTION_FIRE', for: '0s' }),
    )
    world.log({ service_name: 'quiet' }, 'fine')
    expect(await served.next(id)).toMatchObject({ health: 'OBSERVABILITY_RULE_HEALTH_OK', alerts: [] })
    world.time.now += 60_000
    const absent = await served.next(id)
    expect(absent).toMatchObject({
      health: 'OBSERVABILITY_RULE_HEALTH_NO_DATA',
      state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
      alert_count: 1,
    })
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('fires for absent lines by `absent_over_time`, whatever its action is', async () => {
    const id = await served.create(body({ query: 'absent_over_time({service_name="never"}[1m])' }))
    expect(await served.next(id)).toMatchObject({
      state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
      alerts: [{ labels: { service_name: 'never' }, value: '1' }],
    })
    await served.api.deleteAlertRule({ ...served.path, id })
  })
})

const refusals: readonly (readonly [query: string, reason: string])[] = [
  ['{service_name="api"} |= "error"', 'ALERT_QUERY_NOT_VECTOR'],
  ['1 + 1', 'ALERT_QUERY_NOT_VECTOR'],
  ['count_over_time({}[1m])', 'SELECTOR_EMPTY'],
  ['count_over_time({a="b"[1m])', 'QUERY_SYNTAX_INVALID'],
  ['count_over_time({a="b"} | decolorize [1m])', 'QUERY_FEATURE_UNSUPPORTED'],
]

it.each(refusals)('a rule is refused with the query %s', async (query, reason) => {
  expect(await outcomeOf(served.create(body({ query })))).toBe(reason)
  const id = await served.create(body())
  const update = { ...served.path, id, update_mask: 'query', body: { query } }
  expect(await outcomeOf(served.api.updateAlertRule(update))).toBe(reason)
  await served.api.deleteAlertRule({ ...served.path, id })
})

it('a new language is refused with the query of the old one', async () => {
  const id = await served.create(body({ query: 'up == 0', language: 'OBSERVABILITY_QUERY_LANGUAGE_PROMQL' }))
  const update = (update_mask: string) =>
    served.api.updateAlertRule({ ...served.path, id, update_mask, body: { language, query: errors } })
  expect(await outcomeOf(update('language'))).toBe('QUERY_SYNTAX_INVALID')
  expect(await outcomeOf(update('language,query'))).toBe('OK')
  await served.api.deleteAlertRule({ ...served.path, id })
})

it('the language of the stored rule, and that of the new one, decide which right to query a caller needs', async () => {
  const admin = await served.platform.admin()
  const { organisation: organisation_id, path } = served
  const authorWith = async (signal: 'logs' | 'metrics') => {
    const permissions = [`observability.${signal}.query`, ...['create', 'update'].map(verb => `${rules}.${verb}`)]
    const role = {
      name: `${signal}-author`,
      scope_type: 'ORGANISATION',
      scope_id: organisation_id,
      permissions,
    } as const
    const { resource_id } = await admin.api.iam.createRole({ body: role })
    const member = await addMember(served.platform, admin.api, {
      email: `${signal}@acme.example`,
      organisation_id,
      grants: [roleAt(resource_id, 'WORKSPACE', path.workspace)],
    })
    return member.api.observability
  }
  const authors = { logs: await authorWith('logs'), metrics: await authorWith('metrics') }
  const denied = 'IAM_PERMISSION_DENIED'
  expect(await outcomeOf(authors.logs.createAlertRule({ ...path, body: body() }))).toBe('OK')
  expect(await outcomeOf(authors.metrics.createAlertRule({ ...path, body: body() }))).toBe(denied)
  const id = await served.create(body())
  const disabled = { ...path, id, update_mask: 'enabled', body: { enabled: false } }
  expect(await outcomeOf(authors.metrics.updateAlertRule(disabled))).toBe(denied)
  expect(await outcomeOf(authors.logs.updateAlertRule(disabled))).toBe('OK')
  const change = { query: 'up == 0', language: 'OBSERVABILITY_QUERY_LANGUAGE_PROMQL' } as const
  const toMetrics = { ...path, id, update_mask: 'language,query', body: change }
  expect(await outcomeOf(authors.metrics.updateAlertRule(toMetrics))).toBe(denied)
  expect(await outcomeOf(authors.logs.updateAlertRule(toMetrics))).toBe(denied)
})
