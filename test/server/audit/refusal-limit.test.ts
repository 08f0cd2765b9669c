import { describe, expect, it } from 'vitest'
import type { Activity } from '../../../domain/ports/audit.ts'
import { RefusalLimit } from '../../../server/audit/refusal-limit.ts'

const refusal = (principalId: string, more: Partial<Activity> = {}): Activity => ({
  category: 'ACCESS_DENIED',
  area: 'sample',
  action: 'getCrate',
  permission: 'sample.crates.get',
  resourceType: 'sample.crates',
  resourceId: '',
  scope: { type: 'GROUP', id: 'g-1' },
  principalId,
  principalKind: 'USER',
  outcome: 'DENIED',
  reason: 'IAM_PERMISSION_DENIED',
  changedFields: [],
  operationId: '',
  traceId: 't',
  requestId: 'r',
  clientAddress: '192.0.2.7',
  ...more,
})

const minute = 60_000

describe('the refusals of a caller', () => {
  it('are recorded one by one up to 60 in any minute, and then counted', () => {
    const limit = new RefusalLimit()
    const times = Array.from({ length: 2000 }, (_, i) => i * 100)
    const recorded = times.filter(time => limit.admit(refusal('p'), time).length > 0)
    for (const from of recorded) {
      expect(recorded.filter(time => time >= from && time < from + minute).length).toBeLessThanOrEqual(60)
    }
    const [counted, ...others] = limit.due(0, true)
    expect(others).toEqual([])
    expect(recorded.length + (counted?.count ?? 0)).toBe(2000)
  })

  it('are counted once a minute', () => {
    const limit = new RefusalLimit()
    const counts: (number | undefined)[] = []
    for (let time = 0; time < 5 * minute; time += 100) {
      limit.admit(refusal('p'), time)
      counts.push(...limit.due(time).map(({ count }) => count))
    }
    expect(counts).toHaveLength(4)
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(540)
  })

  it('do not limit the refusals of another caller, or failed sign-ins of a user', () => {
    const limit = new RefusalLimit()
    for (let i = 0; i < 100; i += 1) limit.admit(refusal('p'), i)
    expect(limit.admit(refusal('q'), 100)).toHaveLength(1)
    const signIn = { category: 'AUTHENTICATION', principalId: '', resourceId: 'p' } as const
    expect(limit.admit(refusal('', signIn), 100)).toHaveLength(1)
    for (let i = 0; i < 60; i += 1) limit.admit(refusal('', signIn), 100)
    expect(limit.admit(refusal('', signIn), 100)).toEqual([])
    expect(limit.admit(refusal('', { ...signIn, resourceId: 'q' }), 100)).toHaveLength(1)
  })

  it('share an activity that has only what is equal in all of them', () => {
    const limit = new RefusalLimit()
    for (let i = 0; i < 61; i += 1) limit.admit(refusal('p'), 0)
    expect(limit.due(0, true)).toMatchObject([{ action: 'getCrate', scope: { type: 'GROUP', id: 'g-1' }, count: 1 }])
    limit.admit(refusal('p'), 1)
    limit.admit(refusal('p', { action: 'getBox', scope: { type: 'GROUP', id: 'g-2' }, clientAddress: '::1' }), 2)
    expect(limit.due(3, true)).toMatchObject([
      {
        principalId: 'p',
        area: 'sample',
        action: '',
        scope: { type: 'PLATFORM', id: '' },
        clientAddress: '',
        requestId: '',
        traceId: '',
        count: 2,
      },
    ])
  })

  it('are not lost if too many callers are remembered', () => {
    const limit = new RefusalLimit()
    for (let i = 0; i < 65; i += 1) limit.admit(refusal('p'), 0)
    const recorded = Array.from({ length: 10_000 }, (_, i) => limit.admit(refusal(`q-${i}`), 0)).flat()
    expect(recorded.filter(({ principalId }) => principalId === 'p')).toMatchObject([{ count: 5 }])
  })

  it('need no memory once they are a minute old', () => {
    const limit = new RefusalLimit()
    limit.admit(refusal('p'), 0)
    expect(limit.due(minute)).toEqual([])
    expect(limit.callers).toBe(0)
  })
})
