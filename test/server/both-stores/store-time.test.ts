import { expect, it } from 'vitest'
import { AskedTime, startTime } from '../../../server/store-time.ts'
import { logLines } from '../operations/work-bench.ts'
import { postgresUrl, testStore } from '../store/harness.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')

/**
 * Makes a clock over a store whose time is `noon` ahead of the steady clock. `wait` gives the milliseconds that a
 * request and its response take.
 */
function made() {
  const state = { steady: 500, ahead: noon, wait: [0, 0] as readonly [number, number] }
  const time = new AskedTime(
    async () => {
      state.steady += state.wait[0]
      const answer = state.steady + state.ahead
      state.steady += state.wait[1]
      return answer
    },
    () => state.steady,
  )
  return { state, time }
}

it('the time advances with a steady clock between requests', async () => {
  const { state, time } = made()
  expect(() => time.now()).toThrow('the time has not been asked for')
  await time.sync()
  expect(time.now()).toBe(noon + 500)
  state.steady += 1234.9
  expect(time.now()).toBe(noon + 1734)
})

it.each<[string, readonly [number, number]]>([
  ['a slow request', [4000, 0]],
  ['a slow response', [0, 4000]],
  ['a slow request and a slow response', [1000, 3000]],
])('the known time is kept after %s', async (_name, wait) => {
  const { state, time } = made()
  await time.sync()
  state.wait = wait
  await time.sync()
  expect(time.now()).toBe(state.steady + noon)
})

it('a slow first response is wrong by half its duration at most, and later responses correct the time', async () => {
  const { state, time } = made()
  state.wait = [0, 4000]
  await time.sync()
  expect(Math.abs(time.now() - (state.steady + noon))).toBeLessThanOrEqual(2000)
  state.wait = [1, 1]
  await time.sync()
  expect(Math.abs(time.now() - (state.steady + noon))).toBeLessThanOrEqual(2)
})

it.each([3_600_000, -3_600_000])('a jump of the store by %i ms changes the time', async jump => {
  const { state, time } = made()
  await time.sync()
  state.ahead += jump
  await time.sync()
  expect(time.now()).toBe(Math.floor(state.steady + state.ahead))
})

it('a store on another machine is asked for the time, a store on this machine is not', async () => {
  const store = await testStore()
  const log = logLines()
  const { now, stop } = await startTime(store, log)
  expect(store.time !== undefined).toBe(postgresUrl() !== undefined)
  expect(Math.abs(now() - ((await store.time?.()) ?? Date.now()))).toBeLessThan(1000)
  stop()
  expect(log.lines).toEqual([])
})

it('a store without the time prevents the start of the server', async () => {
  const store = Object.assign(await testStore(), { time: () => Promise.reject(new Error('no time')) })
  await expect(startTime(store, logLines())).rejects.toThrow('no time')
})
