import { describe, expect, it } from 'vitest'
import { again, done, type Procedure, type StepContext } from '../../../domain/ports/procedures.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { createClock } from '../../../server/clock.ts'
import { queued } from '../../../server/operations/claim.ts'
import { ownPlace } from '../../../server/operations/host.ts'
import { owners, type OwnerRow } from '../../../server/operations/owners.ts'
import { works } from '../../../server/operations/work.ts'
import { ended, testBench, within } from './harness.ts'
import { testStore } from '../store/harness.ts'
import { benchCollections, count, workBench } from './work-bench.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const hour = 60 * 60 * 1000
const iso = (time: number): string => new Date(time).toISOString()

const counting: Procedure<unknown> = {
  kind: 'sample.one',
  steps: [{ name: 'only', run: async () => done(tx => count(tx, 'done')) }],
}

/** Returns a procedure whose only step waits for `released`, and then has its effect. */
function waiting(entered: () => void, released: Promise<void>): Procedure<unknown> {
  const run = async () => {
    entered()
    await released
    return done(tx => count(tx, 'done'))
  }
  return { kind: 'sample.one', steps: [{ name: 'only', run }] }
}

const absent: OwnerRow = {
  id: 'somebody',
  host: 'elsewhere',
  pid: 1,
  process_start: 0,
  heartbeat_time: iso(noon),
  beats: 7,
}

/**
 * Begins an operation whose work is leased to `somebody` until `leaseUntil`. Inserts `owner`, a row of process owners,
 * if the row is given.
 */
async function leasedTo(store: Store, owner: OwnerRow | undefined, leaseUntil: number): Promise<void> {
  const id = await workBench(
    store,
    [counting],
    createClock(() => noon),
  ).begin('sample.one')
  await store.tx(async tx => {
    if (owner) await tx.insert(owners, owner)
    const row = await tx.lock(works, id)
    const lease = { state: 'LEASED', lease_owner: 'somebody', lease_until: iso(leaseUntil), fence: 3 } as const
    if (row) await tx.update(works, id, { ...row.value, ...lease }, row.version)
  })
}

/** Requeues leased work, as a process does if the lease owner seems to be dead. */
async function requeued(store: Store, id: string): Promise<void> {
  await store.tx(async tx => {
    const row = await tx.lock(works, id)
    if (row) await tx.update(works, id, queued(row.value, Date.now(), 0), row.version)
  })
}

describe('a starting process', () => {
  it.each<[string, OwnerRow | undefined, number]>([
    ['is not known', undefined, noon + 10_000],
    ['has ended on this host', { ...absent, ...ownPlace(), pid: 2 ** 22 + 1 }, noon + 10_000],
    ['had the number of this one', { ...absent, ...ownPlace(), process_start: 0 }, noon + 10_000],
    ['has been silent for a lease', { ...absent, heartbeat_time: iso(noon - 15_000) }, noon + 10_000],
    ['has not renewed this lease', absent, noon - 1],
  ])('immediately takes over the work of a process that %s', async (_name, owner, leaseUntil) => {
    const store = await testStore(...benchCollections)
    await leasedTo(store, owner, leaseUntil)
    const here = await testBench([counting], { store, clock: createClock(() => noon) })
    await here.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await ended(here)
    expect(await here.counts()).toEqual({ done: 1 })
    const others = await store.get(owners, 'somebody')
    expect(others === undefined).toBe(owner === undefined || leaseUntil > noon)
  })

  it('leaves the work of a living process', async () => {
    const store = await testStore(...benchCollections)
    await leasedTo(store, absent, noon + 10_000)
    const here = await testBench([counting], { store, clock: createClock(() => noon) })
    await here.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await here.begin('sample.one')
    await expect.poll(() => here.left(), within).toBe(1)
    expect((await here.store.find(works, {}))?.value).toMatchObject({ lease_owner: 'somebody', fence: 3 })
    expect(await here.counts()).toEqual({ done: 1 })
  })

  it('takes over from a silent process while the clock stays behind its heartbeat', async () => {
    const store = await testStore(...benchCollections)
    await leasedTo(store, { ...absent, heartbeat_time: iso(noon + hour) }, noon + hour)
    const here = await testBench([counting], { store, clock: createClock(() => noon) })
    await here.work({ leaseMs: 200 })
    await ended(here)
    expect(await here.counts()).toEqual({ done: 1 })
  })
})

describe('a clock', () => {
  it('that jumps ahead in one process takes leases of other processes, but repeats no effect', async () => {
    const store = await testStore(...benchCollections)
    const entered = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const endless = { ...waiting(entered.resolve, released.promise), deadlineMs: 'none' } as const
    const slow = await testBench([endless], { store })
    await slow.begin('sample.one')
    // The clock of the other process jumps before the next heartbeat of the slow process.
    const slowWorkers = await slow.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await entered.promise

    const ahead = await testBench([counting], { store, clock: createClock(() => Date.now() + hour) })
    await ahead.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await ended(ahead)
    expect(await ahead.counts()).toEqual({ done: 1 })
    released.resolve()
    await slowWorkers.stop()
    expect(await ahead.counts()).toEqual({ done: 1 })
  })

  it('that is set back delays no waiting process', async () => {
    let time = noon + hour
    let runs = 0
    const run = async () => {
      runs += 1
      return runs === 1 ? again(50) : done()
    }
    const procedure: Procedure<unknown> = { kind: 'sample.one', steps: [{ name: 'only', run }] }
    const here = await testBench([procedure], { clock: createClock(() => time) })
    await here.begin('sample.one')
    await here.work({ leaseMs: 60_000 })
    await expect
      .poll(async () => [runs, (await here.store.find(works, {}))?.value.state], within)
      .toEqual([1, 'WAITING'])
    time = noon
    await ended(here)
    expect(runs).toBe(2)
  })

  it('that was set back before the start delays no process either', async () => {
    const store = await testStore(...benchCollections)
    await workBench(
      store,
      [counting],
      createClock(() => noon + hour),
    ).begin('sample.one')
    const here = await testBench([counting], { store, clock: createClock(() => noon) })
    await here.work()
    await ended(here)
    expect(await here.counts()).toEqual({ done: 1 })
  })

  it('that jumps while a step runs does not start the step a second time in the same process', async () => {
    let time = noon
    let entries = 0
    const released = Promise.withResolvers<void>()
    const procedure = { ...waiting(() => (entries += 1), released.promise), deadlineMs: 'none' } as const
    const here = await testBench([procedure], { clock: createClock(() => time) })
    await here.begin('sample.one')
    await here.work()
    await expect.poll(() => entries, within).toBe(1)
    time += hour
    await here.begin('sample.one')
    await expect.poll(() => entries, within).toBe(2)
    released.resolve()
    await ended(here)
    expect([entries, await here.counts()]).toEqual([2, { done: 2 }])
  })
})

describe('a lease that another process has taken', () => {
  it('refuses every write of its former process while the new process works', async () => {
    const store = await testStore(...benchCollections)
    const [inSlow, inFast] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const [slowEnds, fastEnds] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = await testBench([waiting(inSlow.resolve, slowEnds.promise)], { store })
    const id = await slow.begin('sample.one')
    const slowWorkers = await slow.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await inSlow.promise
    await requeued(store, id)
    const fast = await testBench([waiting(inFast.resolve, fastEnds.promise)], { store })
    await fast.work()
    await inFast.promise

    slowEnds.resolve()
    await slowWorkers.stop()
    expect([await fast.left(), await fast.counts()]).toEqual([1, {}])
    fastEnds.resolve()
    await ended(fast)
    expect(await fast.counts()).toEqual({ done: 1 })
  })

  it('keeps the former process from a new start before it has noticed the loss', async () => {
    let entries = 0
    const released = Promise.withResolvers<void>()
    const here = await testBench([waiting(() => (entries += 1), released.promise), { ...counting, kind: 'sample.two' }])
    const id = await here.begin('sample.one')
    await here.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
    await expect.poll(() => entries, within).toBe(1)
    await requeued(here.store, id)
    await here.begin('sample.two')
    await expect.poll(() => here.left(), within).toBe(1)
    expect([entries, await here.counts()]).toEqual([1, { done: 1 }])
    released.resolve()
    await ended(here)
    expect([entries, await here.counts()]).toEqual([2, { done: 2 }])
  })

  it('refuses every write of an earlier run', async () => {
    const late: StepContext<unknown>['tx'][] = []
    const run = async ({ tx }: StepContext<unknown>) => {
      late.push(tx)
      if (late.length === 1) return again(1)
      await expect(late[0]?.(inner => count(inner, 'late'))).rejects.toMatchObject({ name: 'LeaseLost' })
      return done(inner => count(inner, 'done'))
    }
    const here = await testBench([{ kind: 'sample.one', steps: [{ name: 'only', run }] }])
    const id = await here.begin('sample.one')
    await here.work()
    await ended(here)
    expect(await here.record(id)).toMatchObject({ errors: [] })
    expect(await here.counts()).toEqual({ done: 1 })
  })
})

it('a process that cannot reach the store for the time of a lease aborts its work', async () => {
  const store = await testStore(...benchCollections)
  let isAway = false
  const flaky: Store = {
    get: (...args) => store.get(...args),
    getWith: (...args) => store.getWith(...args),
    find: (...args) => store.find(...args),
    count: (...args) => store.count(...args),
    exists: (...args) => store.exists(...args),
    tally: (...args) => store.tally(...args),
    above: (...args) => store.above(...args),
    below: (...args) => store.below(...args),
    sum: (...args) => store.sum(...args),
    each: (...args) => store.each(...args),
    list: (...args) => store.list(...args),
    page: (...args) => store.page(...args),
    snapshot: read => store.snapshot(read),
    tx: fn => (isAway ? Promise.reject(new Error('the store is away')) : store.tx(fn)),
  }
  const aborted = Promise.withResolvers<unknown>()
  let runs = 0
  const procedure: Procedure<unknown> = {
    kind: 'sample.one',
    steps: [
      {
        name: 'only',
        run: async ({ signal }) => {
          runs += 1
          if (runs > 1) return done(tx => count(tx, 'done'))
          isAway = true
          await new Promise(resolve => signal.addEventListener('abort', resolve))
          aborted.resolve(signal.reason)
          throw signal.reason
        },
      },
    ],
  }
  const here = await testBench([procedure], { store: flaky })
  await here.begin('sample.one')
  await here.work({ leaseMs: 300, heartbeatMs: 50 })
  expect(await aborted.promise).toMatchObject({ name: 'LeaseLost' })
  isAway = false
  await ended(here)
  expect(await here.counts()).toEqual({ done: 1 })
})
