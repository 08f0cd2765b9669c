import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { AlertRuleInput } from '../../../../output/observability/types.ts'
import { AlertWorld, downRule, eventually, serveAlerts, settlesAt, type ServedAlerts } from './served-alerts.ts'
import { afterTests } from '../../../undo.ts'

const world = new AlertWorld()
let served: ServedAlerts
let rules = 0

beforeAll(async () => {
  served = await serveAlerts(world, afterTests)
})

beforeEach(() => {
  world.received.length = 0
  world.answer = () => 200
})

const job = (name: string) => ({ __name__: 'up', job: name })

/** Creates a rule over the targets of a job of its own, whose alerts fire at once. */
async function newRule(more: Partial<AlertRuleInput> = {}) {
  const name = `rule-${(rules += 1)}`
  const id = await served.create({ ...downRule, name, query: `up{job=~"${name}.*"} == 0`, for: '0s', ...more })
  return { id, name }
}

const drop = (id: string) => served.api.deleteAlertRule({ ...served.path, id })

const delivery = async (id: string) => (await served.get(id)).deliveries[0]

it('a notification that is not taken is sent again with the same id and body, after growing times', async () => {
  const { id, name } = await newRule()
  world.answer = () => 503
  world.set(job(name), 0)
  await served.next(id)
  await settlesAt(world.received, 1)
  expect(await delivery(id)).toMatchObject({ pending: true, last_error: 'the receiver answered with status 503' })
  const times = [world.time.now]
  for (const seconds of [1, 2, 4]) {
    world.time.now += seconds * 1000 - 1
    await settlesAt(world.received, times.length)
    world.time.now += 1
    times.push(world.time.now)
    if (times.length === 4) world.answer = () => 200
    await settlesAt(world.received, times.length)
  }
  await eventually(async () => expect(await delivery(id)).toMatchObject({ pending: false, last_error: '' }))
  const [first, ...others] = world.received
  for (const { headers, text } of others) {
    expect(text).toBe(first?.text)
    expect(headers['x-ninefold-notification']).toBe(first?.headers['x-ninefold-notification'])
  }
  await drop(id)
})

it('a notification is given up after a day', async () => {
  const { id, name } = await newRule({ repeat_interval: '604800s' })
  world.answer = () => 500
  world.set(job(name), 0)
  await served.next(id)
  await settlesAt(world.received, 1)
  world.time.now += 24 * 3_600_000
  await eventually(async () =>
    expect(await delivery(id)).toMatchObject({ pending: false, last_error: 'the receiver answered with status 500' }),
  )
  await drop(id)
})

it('a newer state takes the place of a waiting notification, and tells the ends that it told', async () => {
  const { id, name } = await newRule()
  const [one, two, three] = [job(`${name}-1`), job(`${name}-2`), job(`${name}-3`)]
  world.set(one, 0)
  world.set(two, 0)
  await served.next(id)
  await settlesAt(world.received, 1)
  world.answer = () => 500
  world.set(one, 1)
  for (let tick = 0; tick < 3; tick += 1) await served.next(id)
  await eventually(async () => expect(await delivery(id)).toMatchObject({ pending: true }))
  world.set(three, 0)
  for (let tick = 0; tick < 3; tick += 1) await served.next(id)
  world.answer = () => 200
  world.time.now += 5_000
  await eventually(async () => expect(await delivery(id)).toMatchObject({ pending: false }))
  const last = world.received.at(-1)?.body.alerts.map(({ labels, status }) => `${labels['job']} ${status}`)
  expect(last?.toSorted()).toEqual([`${name}-1 resolved`, `${name}-2 firing`, `${name}-3 firing`])
  await drop(id)
})

it('an unchanged alert notifies again after repeat_interval, between two ticks', async () => {
  const { id, name } = await newRule({ repeat_interval: '65s', evaluation_interval: '60s' })
  world.set(job(name), 0)
  const t = Math.floor(world.time.now / 60_000) * 60_000 + 60_000
  world.time.now = t + 7_000
  await settlesAt(world.received, 1)
  world.time.now = t + 64_000
  await settlesAt(world.received, 1)
  world.time.now = t + 65_000
  await settlesAt(world.received, 2)
  await drop(id)
})

it('a receiver that does not answer delays no other receiver', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  world.answer = ({ url }) => (url.includes('slow') ? promise : 200)
  const hook = (name: string) => ({ name, webhook: { url: `https://${name}.example/hook` } })
  const slow = Array.from({ length: 10 }, (_, i) => hook(`slow-${i}`))
  const { id: one, name } = await newRule({ receivers: slow })
  const { id: two } = await newRule({ query: `up{job="${name}"} == 0`, receivers: [hook('fast')] })
  world.set(job(name), 0)
  await served.next(two)
  await eventually(async () => expect(await delivery(two)).toMatchObject({ pending: false, receiver: 'fast' }))
  await eventually(() => expect(world.received).toHaveLength(11))
  expect((await served.get(one)).deliveries.every(({ pending }) => pending)).toBe(true)
  resolve(200)
  await eventually(async () => expect((await delivery(one))?.pending).toBe(false))
  await drop(one)
  await drop(two)
})

it('a receiver that is added while an alert fires is told at the next evaluation, and others are not told again', async () => {
  const hook = (name: string) => ({ name, webhook: { url: `https://${name}.example/hook` } })
  const { id, name } = await newRule({ receivers: [hook('first')] })
  world.set(job(name), 0)
  await served.next(id)
  await settlesAt(world.received, 1)
  const body = { receivers: [hook('first'), hook('second')] }
  await served.api.updateAlertRule({ ...served.path, id, update_mask: 'receivers', body })
  await settlesAt(world.received, 2)
  expect(world.received.map(({ body: { receiver } }) => receiver)).toEqual(['first', 'second'])
  await drop(id)
})

it('an evaluation that fails keeps the alerts, and says why', async () => {
  const { id, name } = await newRule()
  world.set(job(name), 0)
  await served.next(id)
  world.fault = () => Promise.reject(new Error('hidden cause'))
  const failed = await served.next(id)
  expect(failed).toMatchObject({
    health: 'OBSERVABILITY_RULE_HEALTH_ERROR',
    state: 'OBSERVABILITY_ALERT_RULE_STATE_FIRING',
    last_error: 'INTERNAL: the evaluation failed',
  })
  world.fault = undefined
  expect(await served.next(id)).toMatchObject({ health: 'OBSERVABILITY_RULE_HEALTH_OK', last_error: '' })
  await drop(id)
})

it('two elements with the same final labels are an error of the rule', async () => {
  const { id, name } = await newRule({ alert_labels: { instance: 'all' } })
  world.set({ ...job(name), instance: 'a' }, 0)
  world.set({ ...job(name), instance: 'b' }, 0)
  const rule = await served.next(id)
  expect(rule.health).toBe('OBSERVABILITY_RULE_HEALTH_ERROR')
  expect(rule.last_error).toMatch(/^ALERT_LABELS_DUPLICATE: /)
  await drop(id)
})

it.each([
  ['RESOLVE', 'INACTIVE', 0],
  ['KEEP', 'FIRING', 1],
  ['FIRE', 'FIRING', 1],
] as const)('absent data with %s leaves the rule %s', async (action, state, count) => {
  const { id, name } = await newRule({ no_data_action: `OBSERVABILITY_NO_DATA_ACTION_${action}` })
  world.set(job(name), 0)
  const before = await served.next(id)
  expect(before.alert_count).toBe(1)
  world.set(job(name), 'stale')
  const rule = await served.next(id)
  expect(rule).toMatchObject({
    health: 'OBSERVABILITY_RULE_HEALTH_NO_DATA',
    state: `OBSERVABILITY_ALERT_RULE_STATE_${state}`,
    alert_count: count,
  })
  if (action === 'FIRE') expect(rule.alerts[0]?.labels['job']).toBeUndefined()
  await drop(id)
})

it('ticks of a time without a server are passed over, and an alert that fired stays told', async () => {
  const { id, name } = await newRule({ repeat_interval: '604800s' })
  world.set(job(name), 0)
  await served.next(id)
  await settlesAt(world.received, 1)
  world.time.now += 3_600_000
  const rule = await served.next(id)
  expect(rule.alerts).toHaveLength(1)
  await settlesAt(world.received, 1)
  await drop(id)
})
