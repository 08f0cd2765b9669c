import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AlertRuleInput } from '../../../../output/observability/types.ts'
import { ApiError } from '../../../../runtime/errors.ts'
import { absentId, addMember, roleAt } from '../../../areas/members.ts'
import { outcomeOf } from '../../outcomes.ts'
import { AlertWorld, downRule, serveAlerts, settlesAt, type ServedAlerts } from './served-alerts.ts'
import { afterTests } from '../../../undo.ts'

const world = new AlertWorld()
let served: ServedAlerts
let names = 0
const newName = (): string => `rule-${(names += 1)}`

beforeAll(async () => {
  served = await serveAlerts(world, afterTests)
})

const secret = 'correct-horse-battery-staple'
const hook = { name: 'hook', webhook: { url: 'https://alerts.example/hook', secret } }

/** Returns the reason of a refusal and its first field. */
async function refused(call: Promise<unknown>): Promise<readonly (string | undefined)[]> {
  try {
    await call
    return ['OK']
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [error.reason, error.details.badRequest?.[0]?.field]
  }
}

it('a rule is answered with its defaults, its state and no secret', async () => {
  const id = await served.create({ name: newName(), query: 'idle == 0', receivers: [hook] })
  const rule = await served.get(id)
  expect(rule).toMatchObject({
    enabled: true,
    evaluation_interval: '60s',
    for: '0s',
    state: 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE',
    health: 'OBSERVABILITY_RULE_HEALTH_UNKNOWN',
    last_error: '',
    alerts: [],
    alert_count: 0,
    receivers: [{ name: 'hook', webhook: { url: hook.webhook.url } }],
    deliveries: [{ receiver: 'hook', last_error: '', pending: false }],
  })
  const listed = await served.api.listAlertRules({ ...served.path })
  const operations = await served.api.listOperations({ filter: `resource_id = "${id}"` })
  for (const answer of [rule, listed, operations, served.platform.lines])
    expect(JSON.stringify(answer)).not.toContain(secret)
})

const templateFault = 'TEMPLATE_INVALID'
const refusals: readonly (readonly [Partial<AlertRuleInput>, string, string | undefined])[] = [
  [{ query: '1' }, 'ALERT_QUERY_NOT_VECTOR', 'query'],
  [{ query: '"up"' }, 'ALERT_QUERY_NOT_VECTOR', 'query'],
  [{ query: 'up[5m]' }, 'ALERT_QUERY_NOT_VECTOR', 'query'],
  [{ query: 'up{' }, 'QUERY_SYNTAX_INVALID', 'query'],
  [{ query: 'rate(up)' }, 'QUERY_TYPE_INVALID', 'query'],
  [{ query: 'limitk(1, up)' }, 'QUERY_FEATURE_UNSUPPORTED', 'query'],
  [{ query: `${'('.repeat(600)}up${')'.repeat(600)}` }, 'QUERY_LIMIT_EXCEEDED', undefined],
  [{ query: `up == ${'9'.repeat(8190)}` }, 'FIELD_INVALID', 'query'],
  [{ query: `up{a="${'é'.repeat(4095)}"}` }, 'FIELD_INVALID', 'query'],
  [{ language: 'OBSERVABILITY_QUERY_LANGUAGE_LOGQL' }, 'QUERY_SYNTAX_INVALID', 'query'],
  [{ annotations: { summary: '{{ .Labels.x }}' } }, templateFault, 'annotations.summary'],
  [{ annotations: { summary: '{{ $labels.x | title }}' } }, templateFault, 'annotations.summary'],
  [{ annotations: { summary: '{{ $value }} {{' } }, templateFault, 'annotations.summary'],
  [{ alert_labels: { team: '{{- $value -}}' } }, templateFault, 'alert_labels.team'],
  [{ alert_labels: { severity: 'low' } }, 'FIELD_INVALID', 'alert_labels.severity'],
  [{ alert_labels: { alertname: 'x' } }, 'FIELD_INVALID', 'alert_labels.alertname'],
  [{ alert_labels: { __name__: 'x' } }, 'FIELD_INVALID', 'alert_labels.__name__'],
  [{ alert_labels: { 'a-b': 'x' } }, 'FIELD_INVALID', 'alert_labels.a-b'],
  [{ evaluation_interval: '9s' }, 'FIELD_INVALID', 'evaluation_interval'],
  [{ evaluation_interval: '3600.001s' }, 'FIELD_INVALID', 'evaluation_interval'],
  [{ for: '86401s' }, 'FIELD_INVALID', 'for'],
  [{ keep_firing_for: '86401s' }, 'FIELD_INVALID', 'keep_firing_for'],
  [{ group_interval: '29s' }, 'FIELD_INVALID', 'group_interval'],
  [{ repeat_interval: '604801s' }, 'FIELD_INVALID', 'repeat_interval'],
  [{ receivers: [hook, hook] }, 'FIELD_INVALID', 'receivers[1].name'],
  [{ receivers: [{ name: 'none' }] }, 'FIELD_INVALID', 'receivers[0]'],
  [{ receivers: [{ ...hook, email: { to: ['a@acme.example'] } }] }, 'FIELD_INVALID', 'receivers[0]'],
  [
    { receivers: [{ name: 'h', webhook: { url: 'https://a.example', secret: 'short' } }] },
    'FIELD_INVALID',
    'receivers[0].webhook.secret',
  ],
  [
    { receivers: [{ name: 'h', webhook: { url: 'https://forbidden.example/' } }] },
    'RECEIVER_URL_FORBIDDEN',
    'receivers[0].webhook.url',
  ],
  [{ receivers: [{ name: 'mail', email: { to: ['a@acme.example'] } }] }, 'ENGINE_CAPABILITY_UNSUPPORTED', undefined],
]

describe('a rule is refused at create and at update', () => {
  it.each(refusals.map((row, i) => [i, ...row] as const))('body %i', async (_, change, reason, field) => {
    const body = { name: newName(), query: 'up == 0' }
    expect(await refused(served.create({ ...body, ...change }))).toEqual([reason, field])
    const id = await served.create(body)
    const update_mask = Object.keys(change).join(',')
    const update = served.api.updateAlertRule({ ...served.path, id, update_mask, body: change })
    expect(await refused(update)).toEqual([reason, field])
  })
})

it('a caller without the right to run the query neither creates nor changes rules', async () => {
  const admin = await served.platform.admin()
  const { organisation: organisation_id, path } = served
  const permissions = ['observability.alertRules.create', 'observability.alertRules.update']
  const role = { name: 'rule-author', scope_type: 'ORGANISATION', scope_id: organisation_id, permissions } as const
  const { resource_id } = await admin.api.iam.createRole({ body: role })
  const author = await addMember(served.platform, admin.api, {
    email: 'author@acme.example',
    organisation_id,
    grants: [roleAt(resource_id, 'WORKSPACE', path.workspace)],
  })
  const body = { name: newName(), query: 'up == 0' }
  expect(await outcomeOf(author.api.observability.createAlertRule({ ...served.path, body }))).toBe(
    'IAM_PERMISSION_DENIED',
  )
  const id = await served.create(body)
  const update = { ...served.path, id, update_mask: 'enabled', body: { enabled: false } }
  expect(await outcomeOf(author.api.observability.updateAlertRule(update))).toBe('IAM_PERMISSION_DENIED')
})

it('names are unique, absent rules are not found, and a delete heeds the etag', async () => {
  const body = { name: newName(), query: 'up == 0' }
  const id = await served.create(body)
  expect(await outcomeOf(served.create(body))).toBe('ALERT_RULE_ALREADY_EXISTS')
  expect(await outcomeOf(served.get(absentId))).toBe('ALERT_RULE_NOT_FOUND')
  expect(await outcomeOf(served.api.deleteAlertRule({ ...served.path, id, etag: 'other' }))).toBe('ETAG_MISMATCH')
  const { etag } = await served.get(id)
  await served.api.deleteAlertRule({ ...served.path, id, etag })
  expect(await outcomeOf(served.get(id))).toBe('ALERT_RULE_NOT_FOUND')
})

describe('a rule with a firing alert', () => {
  const up = { __name__: 'up', job: 'web' }
  const query = 'up{job="web"} == 0'

  /** Creates a rule whose alert fires, and waits for its notification. */
  async function firing(more: Partial<AlertRuleInput> = {}): Promise<string> {
    const count = world.received.length
    world.set(up, 0)
    const id = await served.create({ ...downRule, name: newName(), query, for: '0s', receivers: [hook], ...more })
    await served.next(id)
    await settlesAt(world.received, count + 1)
    return id
  }

  const update = (id: string, body: Partial<AlertRuleInput>) =>
    served.api.updateAlertRule({ ...served.path, id, update_mask: Object.keys(body).join(','), body })

  it('is found by its state and health, and keeps its etag while its state changes', async () => {
    const body = { ...downRule, name: newName(), query, for: '0s', receivers: [] }
    const id = await served.create(body)
    const { etag } = await served.get(id)
    world.set(up, 0)
    const rule = await served.next(id)
    expect([rule.state, rule.health, rule.etag]).toEqual([
      'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
      'OBSERVABILITY_RULE_HEALTH_OK',
      etag,
    ])
    const filter = `name = "${body.name}" AND state = OBSERVABILITY_ALERT_RULE_STATE_FIRING AND health = OBSERVABILITY_RULE_HEALTH_OK`
    const { alert_rules } = await served.api.listAlertRules({ ...served.path, filter })
    expect(alert_rules).toMatchObject([{ id, alert_count: 1, alerts: [{ value: '0' }] }])
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('signs its notifications, and keeps the secret of a receiver that is sent without it', async () => {
    const id = await firing()
    const isSigned = () => {
      const last = world.received.at(-1)
      return (
        last?.headers['x-ninefold-signature'] ===
        `sha256=${createHmac('sha256', secret)
          .update(last?.text ?? '')
          .digest('hex')}`
      )
    }
    expect(isSigned()).toBe(true)
    await update(id, { receivers: [{ name: 'hook', webhook: { url: 'https://alerts.example/moved' } }] })
    await update(id, { enabled: false })
    const count = world.received.length
    world.time.now += 60_000
    await settlesAt(world.received, count + 1)
    expect(world.received.at(-1)).toMatchObject({ url: 'https://alerts.example/moved', body: { status: 'resolved' } })
    expect(isSigned()).toBe(true)
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('keeps its alerts if annotations and receivers change, and starts anew if the query or `for` changes', async () => {
    const id = await firing()
    const before = (await served.get(id)).alerts[0]?.active_since
    await update(id, { annotations: { summary: '{{ $labels.job }} is {{ $value }}' }, description: 'changed' })
    const kept = await served.next(id)
    expect(kept.alerts).toMatchObject([{ active_since: before, annotations: { summary: 'web is 0' } }])
    const { etag } = kept
    await update(id, { for: '20s' })
    const anew = await served.get(id)
    expect([anew.state, anew.alert_count, anew.etag === etag]).toEqual([
      'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE',
      0,
      false,
    ])
    const pending = await served.next(id)
    expect(pending.state).toBe('OBSERVABILITY_ALERT_RULE_STATE_PENDING')
    await served.api.deleteAlertRule({ ...served.path, id })
  })

  it('resolves its alerts when it is disabled, and is evaluated again when it is enabled', async () => {
    const id = await firing()
    await update(id, { enabled: false })
    expect(await served.get(id)).toMatchObject({ state: 'OBSERVABILITY_ALERT_RULE_STATE_DISABLED', alerts: [] })
    const count = world.received.length
    world.time.now += 40_000
    await settlesAt(world.received, count + 1)
    expect(world.received.at(-1)?.body.status).toBe('resolved')
    await update(id, { enabled: true })
    expect((await served.next(id)).state).toBe('OBSERVABILITY_ALERT_RULE_STATE_FIRING')
    await served.api.deleteAlertRule({ ...served.path, id })
  })
})
