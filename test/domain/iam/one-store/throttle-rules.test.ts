import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  withFailure,
  momentOf,
  noFailures,
  throttleRules,
  withdrawn,
  type Failures,
  type ThrottleKind,
} from '../../../../domain/iam/sign-in/throttle-rules.ts'

const start = Date.parse('2026-05-01T12:00:00Z')
const minuteMs = 60_000

/** Records `count` failures, each as soon as the delay is over; returns the delays in seconds. */
function waits(kind: ThrottleKind, limit: number, count: number): number[] {
  let failures = noFailures
  let now = start
  return Array.from({ length: count }, () => {
    failures = withFailure(throttleRules[kind], limit, failures, now)
    const wait = Math.max(0, failures.waitUntil - now)
    now += wait
    return wait / 1000
  })
}

/** Records `count` failures, one every `stepMs` milliseconds; returns the recorded failures. */
function steadily(kind: ThrottleKind, limit: number, count: number, stepMs: number): Failures {
  let failures = noFailures
  for (let i = 0; i < count; i += 1) failures = withFailure(throttleRules[kind], limit, failures, start + i * stepMs)
  return failures
}

describe('an address from a network', () => {
  it('waits 60 seconds after the fifth failure, and twice as long after each further failure, up to 15 minutes', () => {
    expect(waits('email_network', 5, 12)).toEqual([0, 0, 0, 0, 60, 120, 240, 480, 900, 900, 900, 900])
  })

  it('does not wait with fewer than five failures within 15 minutes', () => {
    expect(steadily('email_network', 5, 20, 4 * minuteMs).waitUntil).toBe(0)
    expect(steadily('email_network', 5, 20, 3 * minuteMs).waitUntil).toBeGreaterThan(0)
  })

  it('starts again when no attempt failed for 15 minutes after a delay', () => {
    const before = steadily('email_network', 5, 8, 1)
    const after = withFailure(throttleRules.email_network, 5, before, before.waitUntil + 15 * minuteMs)
    expect(after).toMatchObject({ waits: 0, waitUntil: 0 })
  })
})

describe('an address, and a network', () => {
  it.each([
    ['email', 50, 60],
    ['network', 100, 5],
    ['credential_token', 20, 1],
  ] as const)('%s: waits after %i failures until the first of them is %i minutes old', (kind, limit, minutes) => {
    expect(steadily(kind, limit, limit - 1, 10).waitUntil).toBe(0)
    expect(steadily(kind, limit, limit, 10).waitUntil).toBe(start + minutes * minuteMs)
  })

  it('admits one attempt at the end of a delay', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20_000 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (gaps, limit) => {
          const rule = throttleRules.credential_token
          let failures = noFailures
          let now = start
          const counted: number[] = []
          for (const gap of gaps) {
            now += gap
            if (failures.waitUntil > now) continue
            failures = withFailure(rule, limit, failures, now)
            counted.push(now)
          }
          const within = (at: number): number => counted.filter(time => time > at - rule.windowMs && time <= at).length
          for (const at of counted) expect(within(at)).toBeLessThanOrEqual(limit)
          if (failures.waitUntil > now) expect(within(failures.waitUntil)).toBeLessThan(limit)
        },
      ),
    )
  })
})

describe('a failure that is taken back', () => {
  it('leaves the earlier failures', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('email_network', 'email', 'network', 'credential_token'),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        (kind: ThrottleKind, count, limit) => {
          const before = steadily(kind, limit, count, 100)
          const now = start + count * 100
          const after = withFailure(throttleRules[kind], limit, before, now)
          const back = withdrawn(throttleRules[kind], limit, after, momentOf(throttleRules[kind], limit, now))
          expect(back).toEqual(before)
        },
      ),
    )
  })

  it('needs bounded memory, however many there are', () => {
    const { moments } = steadily('network', 100_000, 20_000, 14)
    expect(moments.length).toBeLessThanOrEqual(301)
    expect(moments.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(19_900)
  })
})
