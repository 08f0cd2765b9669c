import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { leases } from '../../../server/operations/periodic.ts'
import { postgresUrl, storeAt, testPlace } from '../store/harness.ts'
import { ManyProcess, overlaps } from './many-processes.ts'
import { lift, manyCollections, marks, turnMarks, type Mark } from './many-worker.ts'
import { workBench, type WorkBench } from './work-bench.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

/** The length of a lease in milliseconds, so long that a slow process keeps its lease. */
const leaseMs = 2000

/** The tolerance for a slow machine in milliseconds, in addition to leases and polls. */
const slackMs = 4000

async function benchAt(place: string): Promise<WorkBench> {
  return workBench(await storeAt(place, ...manyCollections), [lift(() => undefined)])
}

const workspaces: readonly Scope[] = ['a', 'b', 'c', 'd'].map(id => ({ type: 'WORKSPACE', id }))

/** The options of polls in this test. The interval is long, because the processes need the processor. */
const within = { timeout: 40_000, interval: 50 }

const ended = ({ left }: WorkBench): Promise<void> => expect.poll(left, within).toBe(0)

/**
 * Stops a process at a moment without locks: a process that is stopped in the middle of a write keeps the lock of the
 * file.
 */
async function haltBetweenWrites(process: ManyProcess, place: string): Promise<void> {
  for (;;) {
    process.halt()
    if (postgresUrl() !== undefined || isWritable(place)) return
    process.resume()
    await sleep(10)
  }
}

function isWritable(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 500 })
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return true
  } catch {
    return false
  } finally {
    database.close()
  }
}

let crates = 0

/** Begins `each` lifts in every workspace. */
async function begin(here: WorkBench, each: number): Promise<void> {
  for (let i = 0; i < each; i += 1) {
    for (const scope of workspaces) await here.begin('sample.lift', { crate: `c${(crates += 1)}` }, scope)
  }
}

/** Starts a process for each entry of `skews`, the error of its clock in milliseconds. */
async function started(place: string, skews: readonly number[], lease = leaseMs): Promise<ManyProcess[]> {
  const processes = skews.map(skew => new ManyProcess(place, lease, skew))
  await Promise.all(processes.map(({ ready }) => ready))
  return processes
}

/** Returns the marks that were written under a smaller fence than an earlier mark of the same step. */
async function lateMarks({ store }: WorkBench): Promise<readonly Mark[]> {
  const greatest = new Map<string, number>()
  const late: Mark[] = []
  for await (const { value } of store.each(marks)) {
    const { fence, step } = value
    if (fence < (greatest.get(step) ?? 0)) late.push(value)
    greatest.set(step, Math.max(fence, greatest.get(step) ?? 0))
  }
  return late
}

/**
 * Returns the processes of the periodic runs in the order of the commits; consecutive runs of one process count once.
 */
async function holdersInTurn({ store }: WorkBench): Promise<readonly number[]> {
  const pids: number[] = []
  for await (const { value } of store.each(turnMarks)) if (pids.at(-1) !== value.pid) pids.push(value.pid)
  return pids
}

async function expectAllDoneOnce(here: WorkBench, processes: readonly ManyProcess[]): Promise<void> {
  await ended(here)
  const counts = Object.entries(await here.counts())
  expect(counts.filter(([, times]) => times !== 1)).toEqual([])
  expect(counts.length).toBeGreaterThan(0)
  expect(await here.store.count(here.operations.collection)).toBe(counts.length / 2)
  expect(await lateMarks(here)).toEqual([])
  expect(overlaps(processes)).toEqual([])
}

/**
 * Stops a process while it has steps in progress and does not hold the write lock of SQLite; returns the time of the
 * stop.
 */
async function haltInStep(here: WorkBench, victim: ManyProcess): Promise<number> {
  for (;;) {
    await expect.poll(() => victim.open().length, within).toBeGreaterThan(0)
    victim.halt()
    const halted = Date.now()
    const isFree = await here.begin('sample.lift', { crate: `c${(crates += 1)}` }).then(
      () => true,
      () => false,
    )
    if (isFree && victim.open().length > 0) return halted
    victim.resume()
  }
}

/** Returns the milliseconds from `since` until other processes had entered all of the steps. */
function takenUpAfter(others: readonly ManyProcess[], steps: readonly string[], since: number): number {
  const times = steps.map(step => {
    const entries = others.flatMap(({ events }) =>
      events.filter(event => event.event === 'enter' && event.step === step && event.time >= since),
    )
    return Math.min(...entries.map(({ time }) => time))
  })
  return Math.max(...times) - since
}

describe('four processes on one store', () => {
  it('never run a step twice concurrently while processes are killed and paused, and take over in time', async () => {
    const place = await testPlace()
    const here = await benchAt(place)
    const all = await started(place, [0, 0, 0, 0])
    for (let round = 0; round < 2; round += 1) {
      await begin(here, 6)
      const [stalled, killed] = [all[2 * round], all[2 * round + 1]]
      if (stalled === undefined || killed === undefined) throw new Error('fewer than two processes are left')
      const halted = await haltInStep(here, stalled)
      await killed.kill()
      all.push(...(await started(place, [0])))
      await ended(here)
      const others = all.filter(other => other !== stalled)
      expect(takenUpAfter(others, stalled.open(), halted)).toBeLessThan(leaseMs + 50 + slackMs)
      stalled.resume()
      await expect.poll(() => stalled.open(), within).toEqual([])
    }
    await expectAllDoneOnce(here, all)
  })

  it('keep their leases for any difference between their clocks', async () => {
    const place = await testPlace()
    const here = await benchAt(place)
    const lease = 8 * leaseMs
    // On SQLite all processes share the clock of one machine, which can be set; on PostgreSQL leases depend on the
    // clock of the database.
    const skew = postgresUrl() === undefined ? lease / 8 : 100 * lease
    const all = await started(place, [-skew, 0, skew, 0], lease)
    await begin(here, 8)
    await expectAllDoneOnce(here, all)
    expect(all.filter(({ events }) => events.length > 0).length).toBe(4)
    expect(all.flatMap(({ events }) => events).filter(({ event }) => event === 'lost')).toEqual([])
  })

  it('run periodic work in one process, and in another within a lease if the first is paused', async () => {
    const place = await testPlace()
    const here = await benchAt(place)
    const all = await started(place, [0, leaseMs / 8, 0, -leaseMs / 8])
    const holders = (since: number) => all.filter(({ turns }) => turns.some(time => time > since))
    await expect.poll(() => holders(0).flatMap(({ turns }) => turns).length, within).toBeGreaterThan(20)
    for (let round = 0; round < 2; round += 1) {
      const [holder, ...more] = holders(Date.now() - 500)
      if (holder === undefined) throw new Error('no process has the lease')
      expect(more).toEqual([])
      await haltBetweenWrites(holder, place)
      const halted = Date.now()
      const next = () => holders(halted).filter(other => other !== holder)
      await expect.poll(() => next().length, within).toBe(1)
      expect(Math.min(...next().flatMap(({ turns }) => turns.filter(time => time > halted))) - halted).toBeLessThan(
        leaseMs + leaseMs / 10 + slackMs,
      )
      const resumed = Date.now()
      holder.resume()
      await expect.poll(() => Math.max(...next().flatMap(({ turns }) => turns)) - resumed, within).toBeGreaterThan(600)
      expect(holder.turns.filter(time => time > resumed)).toEqual([])
      expect(holders(resumed)).toHaveLength(1)
    }
    expect((await here.store.get(leases, 'sample.turns'))?.value.fence).toBe(3)
    expect(await holdersInTurn(here)).toHaveLength(3)
  })
})
