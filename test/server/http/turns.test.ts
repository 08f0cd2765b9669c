import { describe, expect, it } from 'vitest'
import { Turns } from '../../../server/http/turns.ts'

/** Ends the present turn of the event loop. */
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Begins a call that occupies the processor until the turn has no more time for further calls. */
function occupy(turns: Turns): void {
  expect(turns.enter(false)).toBe(true)
  const until = performance.now() + 5
  while (performance.now() < until);
}

describe('the turns of a server', () => {
  it('begin a call immediately while the turn has time, and again in the next turn', async () => {
    const turns = new Turns({ turnMs: 60_000 })
    expect([1, 2, 3].map(() => turns.enter(false))).toEqual([true, true, true])
    await turn()
    expect([turns.enter(false), turns.waiting]).toEqual([true, 0])
  })

  it('begin waiting calls in the order of their arrival, one a turn if connections come', async () => {
    const turns = new Turns({ patienceMs: 60_000 })
    const begun: number[] = []
    occupy(turns)
    for (const i of [1, 2, 3]) void Promise.resolve(turns.enter(false)).then(() => begun.push(i))
    expect([turns.waiting, begun]).toEqual([3, []])
    for (const expected of [[1], [1, 2], [1, 2, 3]]) {
      turns.accepted()
      await turn()
      await turn()
      expect(begun.slice(0, expected.length)).toEqual(expected)
    }
    await expect.poll(() => begun).toEqual([1, 2, 3])
    expect(turns.waiting).toBe(0)
  })

  it('begin a call only after the calls before it have ended, if those wait for nothing', async () => {
    const turns = new Turns({ turnMs: 5, patienceMs: 60_000 })
    const events: string[] = []
    occupy(turns)
    const calls = [1, 2, 3].map(async i => {
      await turns.enter(false)
      events.push(`begin ${i}`)
      for (let wait = 0; wait < 20; wait += 1) await undefined
      events.push(`end ${i}`)
    })
    await Promise.all(calls)
    expect(events).toEqual([1, 2, 3].flatMap(i => [`begin ${i}`, `end ${i}`]))
  })

  it('refuse calls that have waited too long, and begin urgent calls nevertheless', async () => {
    const turns = new Turns({ patienceMs: 0 })
    occupy(turns)
    const calls = [false, false, true].map(isUrgent => turns.enter(isUrgent))
    const until = performance.now() + 5
    while (performance.now() < until);
    expect(await Promise.all(calls)).toEqual([false, false, true])
  })

  it('let the calls of a burst wait five times as long', async () => {
    const turns = new Turns({ patienceMs: 1000 })
    occupy(turns)
    const call = turns.enter(false)
    const until = performance.now() + 1500
    while (performance.now() < until);
    expect(await call).toBe(true)
  })

  it('give urgent calls at most every second place', async () => {
    const turns = new Turns({ patienceMs: 60_000 })
    const begun: string[] = []
    occupy(turns)
    const enter = (name: string, isUrgent: boolean) =>
      Promise.resolve(turns.enter(isUrgent)).then(() => begun.push(name))
    await Promise.all([
      ...['a', 'b', 'c'].map(name => enter(name, false)),
      ...['1', '2', '3'].map(name => enter(name, true)),
    ])
    expect(begun).toEqual(['1', 'a', '2', 'b', '3', 'c'])
  })

  it('pace refusals, and let none wait longer than its limit', async () => {
    const answered = async (refusalWithinMs: number): Promise<number> => {
      const turns = new Turns({ refusalEveryMs: 60_000, refusalWithinMs })
      const done: number[] = []
      for (let i = 0; i < 10; i += 1) void turns.refusal().then(() => done.push(i))
      const until = performance.now() + 100
      while (performance.now() < until) await turn()
      return done.length
    }
    expect(await answered(60_000)).toBe(1)
    expect(await answered(1)).toBe(10)
  })
})
