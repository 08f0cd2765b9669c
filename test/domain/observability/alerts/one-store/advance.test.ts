import { describe, expect, it } from 'vitest'
import { advance, endAll } from '../../../../../domain/observability/alerts/advance.ts'
import type { TrackedAlert } from '../../../../../domain/observability/alerts/alerts-store.ts'
import { decide, type NotifyingRule } from '../../../../../domain/observability/alerts/group.ts'

const second = 1000
const found = (name: string) => ({ fingerprint: name, labels: { name }, annotations: {}, value: '1' })

/** Evaluates a rule each 10 s; each text has the names of the elements at a tick. Returns the states after each tick. */
function states(rule: { readonly for: string; readonly keep_firing_for: string }, ticks: readonly string[]) {
  let alerts: readonly TrackedAlert[] = []
  return ticks.map((names, i) => {
    alerts = advance(rule, alerts, [...names].map(found), i * 10 * second)
    return alerts.map(({ fingerprint, state }) => `${fingerprint}:${state}`).join(' ')
  })
}

describe('an alert', () => {
  it.each([
    ['0s', '0s', ['a', 'a', ''], ['a:FIRING', 'a:FIRING', 'a:ENDED']],
    ['20s', '0s', ['a', 'a', 'a', ''], ['a:PENDING', 'a:PENDING', 'a:FIRING', 'a:ENDED']],
    ['25s', '0s', ['a', 'a', 'a', 'a'], ['a:PENDING', 'a:PENDING', 'a:PENDING', 'a:FIRING']],
    ['20s', '0s', ['a', '', 'a', 'a'], ['a:PENDING', '', 'a:PENDING', 'a:PENDING']],
    ['0s', '20s', ['a', '', '', ''], ['a:FIRING', 'a:RECOVERING', 'a:RECOVERING', 'a:ENDED']],
    [
      '0s',
      '20s',
      ['a', '', 'a', '', '', ''],
      ['a:FIRING', 'a:RECOVERING', 'a:FIRING', 'a:RECOVERING', 'a:RECOVERING', 'a:ENDED'],
    ],
    ['0s', '0s', ['ab', 'b'], ['a:FIRING b:FIRING', 'b:FIRING a:ENDED']],
  ])('with for %s and keep_firing_for %s at %j is %j', (wait, keep, ticks, expected) => {
    expect(states({ for: wait, keep_firing_for: keep }, ticks)).toEqual(expected)
  })

  it('that fires again before its end is told counts as told', () => {
    const rule = { for: '0s', keep_firing_for: '0s' }
    const first = advance(rule, [], [found('a')], 0).map(alert => ({ ...alert, isTold: true }))
    const again = advance(rule, advance(rule, first, [], 10 * second), [found('a')], 20 * second)
    expect(again).toMatchObject([{ state: 'FIRING', isTold: true, activeMs: 20 * second }])
  })

  it('is dropped if it is pending when its rule starts anew, and ends if it fires', () => {
    const rule = { for: '10s', keep_firing_for: '0s' }
    const alerts = advance(rule, advance(rule, [], [found('a')], 0), [found('a'), found('b')], 10 * second)
    expect(endAll(alerts, 15 * second)).toMatchObject([{ fingerprint: 'a', state: 'ENDED', goneMs: 15 * second }])
  })
})

describe('a group', () => {
  const rule: NotifyingRule = { group_interval: '30s', repeat_interval: '100s', send_resolved: true }
  const firing = (name: string, isTold = false): TrackedAlert => ({
    ...found(name),
    state: 'FIRING',
    activeMs: 0,
    firedMs: 0,
    isTold,
  })
  const ended = (name: string, isTold = true): TrackedAlert => ({ ...firing(name, isTold), state: 'ENDED', goneMs: 1 })
  const told = (
    alerts: readonly TrackedAlert[],
    {
      at = 0,
      notified,
      silenced = '',
      given = rule,
    }: { at?: number; notified?: number; silenced?: string; given?: NotifyingRule } = {},
  ) => {
    const notifiedMs = notified === undefined ? undefined : notified * second
    const decision = decide(given, { alerts, nowMs: at * second, notifiedMs, silenced: new Set(silenced) })
    const due = decision.dueMs === undefined ? undefined : decision.dueMs / second
    return [decision.told?.map(each => `${each.fingerprint}:${each.state}`).join(' '), due]
  }

  it.each([
    ['tells its first alert at once', told([firing('a')]), ['a:FIRING', 100]],
    [
      'waits for group_interval with a new alert',
      told([firing('a', true), firing('b')], { at: 10, notified: 0 }),
      [undefined, 30],
    ],
    [
      'tells all alerts after group_interval',
      told([firing('a', true), firing('b')], { at: 30, notified: 0 }),
      ['a:FIRING b:FIRING', 130],
    ],
    [
      'tells unchanged alerts after repeat_interval',
      told([firing('a', true)], { at: 100, notified: 0 }),
      ['a:FIRING', 200],
    ],
    ['tells unchanged alerts not before', told([firing('a', true)], { at: 99, notified: 0 }), [undefined, 100]],
    ['tells the end of an alert', told([ended('a')], { at: 30, notified: 0 }), ['a:ENDED', undefined]],
    [
      'tells the end of an alert that was never told',
      told([ended('a', false)], { at: 30, notified: 0 }),
      ['a:ENDED', undefined],
    ],
    [
      'tells no end without send_resolved',
      told([ended('a')], { at: 30, notified: 0, given: { ...rule, send_resolved: false } }),
      [undefined, undefined],
    ],
    ['tells no silenced alert', told([firing('a')], { silenced: 'a' }), [undefined, undefined]],
    ['tells the alerts that are not silenced', told([firing('a'), firing('b')], { silenced: 'a' }), ['b:FIRING', 100]],
    [
      'tells no end of a silenced alert',
      told([ended('a')], { at: 30, notified: 0, silenced: 'a' }),
      [undefined, undefined],
    ],
    ['tells no pending alert', told([{ ...firing('a'), state: 'PENDING' }]), [undefined, undefined]],
  ])('%s', (_, seen, expected) => {
    expect(seen).toEqual(expected)
  })

  it('tells an alert again when its silence ends', () => {
    const nowMs = 40 * second
    const silent = decide(rule, { alerts: [firing('a', true)], nowMs, notifiedMs: 0, silenced: new Set('a') })
    const loud = decide(rule, { alerts: silent.alerts, nowMs, notifiedMs: 0, silenced: new Set() })
    expect([silent.told, loud.told?.length]).toEqual([undefined, 1])
  })
})
