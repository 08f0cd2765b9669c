import { describe, expect, it } from 'vitest'
import { Traffic } from '../../../../domain/storage/statistics/traffic.ts'

const of = { id: 'a', workspace_id: 'w', engine: 'native' }

describe('the traffic of buckets', () => {
  it('is counted for each minute until it is taken', () => {
    let now = 59_999
    const traffic = new Traffic(() => now)
    traffic.count(of, { requests_read: 1, bytes_egress: 5 })
    traffic.count(of, { requests_read: 1, bytes_egress: 0 })
    traffic.count({ ...of, id: 'b' }, { errors_client: 0 })
    now = 60_000
    traffic.count(of, { requests_write: 1 })
    const taken = traffic.take()
    expect(taken.map(({ atMs, counts }) => [atMs, counts])).toEqual([
      [59_999, { requests_read: 2, bytes_egress: 5 }],
      [60_000, { requests_write: 1 }],
    ])
    expect(traffic.take()).toEqual([])
    traffic.putBack(taken)
    traffic.count(of, { requests_write: 1 })
    expect(traffic.take().map(({ counts }) => counts)).toEqual([
      { requests_read: 2, bytes_egress: 5 },
      { requests_write: 2 },
    ])
  })
})
