import { beforeAll, expect, it } from 'vitest'
import type { AlertRule } from '../../../../output/observability/types.ts'
import { AlertWorld, downRule, serveAlerts, settlesAt, type ServedAlerts } from './served-alerts.ts'
import { afterTests } from '../../../undo.ts'

const world = new AlertWorld()
let served: ServedAlerts

beforeAll(async () => {
  served = await serveAlerts(world, afterTests)
})

const stateOf = ({ alerts, state }: AlertRule) => ({ rule: state, alerts: alerts.map(alert => alert.state) })

it('an alert becomes PENDING, fires, notifies once, and notifies its end (scenario 5)', async () => {
  const t = world.time.now + 60_000
  const up = { __name__: 'up', job: 'node', instance: 'one' }
  world.set(up, 1)
  const id = await served.create(downRule)
  expect(stateOf(await served.at(id, t - 10_000))).toEqual({
    rule: 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE',
    alerts: [],
  })
  world.time.now = t - 1
  world.set(up, 0)
  for (const [offset, state] of [
    [0, 'PENDING'],
    [10, 'PENDING'],
    [20, 'PENDING'],
    [30, 'FIRING'],
    [40, 'FIRING'],
  ] as const) {
    const rule = await served.at(id, t + offset * 1000)
    expect(stateOf(rule)).toEqual({
      rule: `OBSERVABILITY_ALERT_RULE_STATE_${state}`,
      alerts: [`OBSERVABILITY_ALERT_STATE_${state}`],
    })
    expect(rule.alerts[0]).toMatchObject({
      labels: { job: 'node', instance: 'one', alertname: 'target-down', alert_rule_id: id, severity: 'warning' },
      value: '0',
      active_since: new Date(t).toISOString(),
      ...(offset >= 30 && { fired_time: new Date(t + 30_000).toISOString() }),
    })
  }
  await settlesAt(world.received, 1)
  expect(world.received[0]?.body).toMatchObject({ version: '4', status: 'firing', alerts: [{ status: 'firing' }] })
  world.time.now = t + 49_000
  world.set(up, 1)
  expect(stateOf(await served.at(id, t + 50_000))).toEqual({
    rule: 'OBSERVABILITY_ALERT_RULE_STATE_INACTIVE',
    alerts: [],
  })
  await settlesAt(world.received, 1)
  await served.at(id, t + 60_000)
  await settlesAt(world.received, 2)
  expect(world.received[1]?.body).toMatchObject({
    status: 'resolved',
    alerts: [{ status: 'resolved', endsAt: new Date(t + 50_000).toISOString().replace('.000Z', 'Z') }],
  })
  const rule = await served.get(id)
  expect(rule.deliveries).toMatchObject([{ receiver: 'hook', last_error: '', pending: false }])
})

it('a silenced alert fires without a notification, and notifies at the tick after the end of the silence', async () => {
  const up = { __name__: 'up', job: 'db', instance: 'two' }
  const before = world.received.length
  const t = Math.ceil(world.time.now / 10_000) * 10_000 + 20_000
  world.set(up, 0)
  const { resource_id: silence } = await served.api.createSilence({
    workspace: served.path.workspace,
    body: {
      matchers: [{ name: 'alertname', value: 'db-down' }],
      end_time: new Date(t + 86_400_000).toISOString(),
      comment: 'maintenance',
    },
  })
  const id = await served.create({ ...downRule, name: 'db-down', query: 'up{job="db"} == 0', for: '0s' })
  const rule = await served.at(id, t)
  expect(rule.state).toBe('OBSERVABILITY_ALERT_RULE_STATE_FIRING')
  expect(rule.alerts[0]?.silenced_by).toEqual([silence])
  await served.at(id, t + 10_000)
  await settlesAt(world.received, before)
  await served.api.deleteSilence({ workspace: served.path.workspace, id: silence })
  await served.at(id, t + 20_000)
  await settlesAt(world.received, before + 1)
  expect(world.received.at(-1)?.body.status).toBe('firing')
})
