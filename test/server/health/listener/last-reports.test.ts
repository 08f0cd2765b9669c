import { describe, expect, it } from 'vitest'
import { LastReports } from '../../../../server/health/listener/last-reports.ts'

/** Makes reports with a clock that the test moves, and counts the requests for metrics. */
function reported() {
  let nowMs = 1000
  let requests = 0
  const reports = new LastReports(
    () => (requests += 1),
    () => nowMs,
  )
  return { reports, pass: (ms: number) => (nowMs += ms), requests: () => requests }
}

describe('the last reports of a server', () => {
  it('say that the server is alive until it has not reported for ten seconds', () => {
    const { pass, reports } = reported()
    expect(reports.isAlive()).toBe(true)
    pass(9999)
    expect(reports.isAlive()).toBe(true)
    pass(1)
    expect(reports.isAlive()).toBe(false)
    reports.take({ kind: 'beat' })
    expect(reports.isAlive()).toBe(true)
  })

  it('have the last readiness, and no readiness five seconds later', async () => {
    const { pass, reports } = reported()
    const silent = { status: 'degraded', reason: 'the server does not report its readiness', isServing: false }
    expect(await reports.readiness()).toEqual(silent)
    reports.take({ kind: 'readiness', readiness: { status: 'ready', isServing: true } })
    reports.take({ kind: 'readiness', readiness: { status: 'draining', isServing: false } })
    expect(await reports.readiness()).toEqual({ status: 'draining', isServing: false })
    pass(5000)
    reports.take({ kind: 'beat' })
    expect(await reports.readiness()).toEqual(silent)
  })

  it('have fresh metrics, which concurrent callers share, or the last metrics of a busy server', async () => {
    const { reports, requests } = reported()
    await expect(reports.metrics()).rejects.toMatchObject({ reason: 'ENGINE_UNAVAILABLE' })
    const both = Promise.all([reports.metrics(), reports.metrics()])
    expect(requests()).toBe(2)
    reports.take({ kind: 'metrics', text: 'up 1\n' })
    expect(await both).toEqual(['up 1\n', 'up 1\n'])
    expect(await reports.metrics()).toBe('up 1\n')
    expect(requests()).toBe(3)
  })
})
