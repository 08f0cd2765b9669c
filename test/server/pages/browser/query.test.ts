import { describe, expect, it } from 'vitest'
import { gridOf, timesOf } from '../../../../server/pages/browser/query.ts'

const now = Date.parse('2026-11-30T12:34:56.789Z')

describe('the times of a chart', () => {
  it.each([
    [900, 15],
    [3600, 15],
    [21_600, 90],
    [86_400, 360],
    [604_800, 2520],
    [1_296_000, 5400],
  ])('of %i seconds have a step of %i seconds', (range, step) => {
    const grid = gridOf(range, now)
    expect(grid.step).toBe(step)
    const times = timesOf(grid)
    expect(times.length).toBeLessThanOrEqual(241)
    expect(times.every(time => time % step === 0)).toBe(true)
    expect(times.at(-1)).toBe(grid.end)
    expect(grid.end * 1000).toBeLessThanOrEqual(now)
    expect(grid.end - grid.start).toBeGreaterThanOrEqual(range)
  })
})
