import { describe, expect, it } from 'vitest'
import { Patience } from '../../../server/http/patience.ts'

/** The load of a server in one millisecond: the requests that arrive, and the waiting calls that begin. */
interface Load {
  readonly forMs: number
  readonly arrive: number
  readonly begin: number
}

/** Returns the limits of each interval of ten milliseconds under a load, with a request that waits at all times. */
function limitsUnder(patience: Patience, loads: readonly Load[], fromMs = 0): readonly number[] {
  const limits: number[] = []
  let nowMs = fromMs
  for (const { arrive, begin, forMs } of loads) {
    for (const endMs = nowMs + forMs; nowMs < endMs; nowMs += 1) {
      for (let i = 0; i < arrive; i += 1) patience.arrived(nowMs, nowMs === fromMs && i === 0)
      for (let i = 0; i < begin; i += 1) patience.began()
      const limit = patience.limitMs(nowMs)
      if (nowMs % 10 === 9) limits.push(limit)
    }
  }
  return limits
}

describe('the patience with waiting requests', () => {
  it.each<[load: string, loads: readonly Load[], limits: readonly number[]]>([
    ['ten times as many requests as calls', [{ forMs: 50, arrive: 100, begin: 10 }], [50, 50, 10, 10, 10]],
    ['readers that each wait for their response', [{ forMs: 50, arrive: 10, begin: 10 }], [50, 50, 10, 10, 10]],
    [
      'a burst of 150 requests, even over more than one interval',
      [
        { forMs: 15, arrive: 10, begin: 1 },
        { forMs: 135, arrive: 0, begin: 1 },
      ],
      // The second interval cannot tell the burst from overload.
      [50, 50, 10, ...Array.from({ length: 12 }, () => 50)],
    ],
    [
      'a burst within an interval',
      [
        { forMs: 10, arrive: 50, begin: 1 },
        { forMs: 50, arrive: 0, begin: 1 },
      ],
      [50, 50, 50, 50, 50, 50],
    ],
    [
      'overload that ends',
      [
        { forMs: 30, arrive: 100, begin: 10 },
        { forMs: 30, arrive: 1, begin: 10 },
      ],
      [50, 50, 10, 10, 50, 50],
    ],
  ])('has for %s the limits of its intervals', (_, loads, limits) => {
    expect(limitsUnder(new Patience(10), loads)).toEqual(limits)
  })

  it('stays short when a queue is empty because its requests were refused', () => {
    const patience = new Patience(10)
    limitsUnder(patience, [{ forMs: 30, arrive: 100, begin: 10 }])
    patience.refused(30)
    patience.arrived(31, true)
    patience.arrived(31, false)
    expect(patience.limitMs(31)).toBe(10)
  })

  it('begins a new burst once no request was refused for five limits', () => {
    const patience = new Patience(10)
    limitsUnder(patience, [{ forMs: 30, arrive: 100, begin: 10 }])
    patience.refused(30)
    expect(limitsUnder(patience, [{ forMs: 20, arrive: 100, begin: 10 }], 100)).toEqual([50, 50])
  })
})
