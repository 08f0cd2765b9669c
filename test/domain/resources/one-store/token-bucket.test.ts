import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TokenBucket } from '../../../../domain/resources/token-bucket.ts'

const start = 1_000_000

describe('a token bucket', () => {
  it('is full at first, and reports the time until an empty bucket has enough again', () => {
    const bucket = new TokenBucket({ capacity: 10, perSecond: 2 }, start)
    expect(bucket.take(10, start)).toBe(0)
    expect(bucket.take(3, start)).toBe(1.5)
    expect(bucket.take(3, start + 1499)).toBeCloseTo(0.001)
    expect(bucket.take(3, start + 1500)).toBe(0)
  })

  it('has at most its capacity after any time without use', () => {
    const bucket = new TokenBucket({ capacity: 10, perSecond: 2 }, start)
    expect(bucket.take(11, start)).toBe(Infinity)
    expect(bucket.take(10, start + 3_600_000)).toBe(0)
    expect(bucket.take(1, start + 3_600_000)).toBe(0.5)
  })

  it('gives nothing for a clock that is set back', () => {
    const bucket = new TokenBucket({ capacity: 1, perSecond: 1 }, start)
    bucket.take(1, start)
    expect(bucket.take(1, start - 60_000)).toBe(1)
    expect(bucket.take(1, start - 60_000 + 999)).toBeCloseTo(0.001)
  })

  it('waits until the debt of a charge is filled', () => {
    const bucket = new TokenBucket({ capacity: 10, perSecond: 2 }, start)
    expect(bucket.take(1, start)).toBe(0)
    bucket.charge(13, start)
    expect(bucket.take(1, start)).toBe(2.5)
    expect(bucket.take(1, start + 2500)).toBe(0)
  })

  it('never grants more than its capacity and the refilled amount', () => {
    const steps = fc.array(fc.record({ after: fc.nat(2000), count: fc.integer({ min: 1, max: 12 }) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(steps, given => {
        const bucket = new TokenBucket({ capacity: 10, perSecond: 4 }, start)
        let [now, granted] = [start, 0]
        for (const { after, count } of given) {
          now += after
          if (bucket.take(count, now) === 0) granted += count
        }
        expect(granted).toBeLessThanOrEqual(10 + ((now - start) / 1000) * 4 + 1e-6)
      }),
    )
  })
})
