import { describe, expect, it } from 'vitest'
import type { Store } from '../../../domain/ports/store.ts'
import { createClock } from '../../../server/clock.ts'
import { owners } from '../../../server/operations/owners.ts'
import type { Turn, Worker } from '../../../domain/ports/workers.ts'
import { leases } from '../../../server/operations/periodic.ts'
import { testBench, within } from './harness.ts'
import { testStore } from '../store/harness.ts'
import { benchCollections, count } from './work-bench.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const iso = (time: number): string => new Date(time).toISOString()

const worker = (run: (turn: Turn) => Promise<void>, everyMs = 10): Worker => ({
  name: 'sample.sweep',
  everyMs,
  run,
})

/** Returns a worker that counts its runs under a name. */
const counting = (name: string): Worker => worker(({ tx }) => tx(inner => count(inner, name)))

const holder = async (store: Store): Promise<string | undefined> =>
  (await store.get(leases, 'sample.sweep'))?.value.owner

/** Gives the lease to another process. */
const takeLease = (store: Store): Promise<void> =>
  store.tx(async tx => {
    const row = await tx.lock(leases, 'sample.sweep')
    if (row === undefined) throw new Error('the lease has no row yet')
    await tx.update(leases, row.id, { ...row.value, owner: 'somebody', fence: row.value.fence + 1 }, row.version)
  })

/**
 * Wraps a store so that the test can hold back the responses to point reads, as a paused process receives them late.
 * `afterAnswer` waits until a response is held back, and returns a function that releases all responses.
 */
function stallable(store: Store): { readonly store: Store; readonly afterAnswer: () => Promise<() => void> } {
  let stalled: { readonly entered: () => void; readonly until: Promise<void> } | undefined
  const get: Store['get'] = async (collection, id) => {
    const answer = await store.get(collection, id)
    stalled?.entered()
    await stalled?.until
    return answer
  }
  const held = new Proxy(store, {
    get(target, name) {
      const member: unknown = name === 'get' ? get : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const afterAnswer = async (): Promise<() => void> => {
    const [entered, until] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    stalled = { entered: entered.resolve, until: until.promise }
    await entered.promise
    return () => {
      stalled = undefined
      until.resolve()
    }
  }
  return { store: held, afterAnswer }
}

describe('a periodic worker', () => {
  it('runs immediately and then repeatedly', async () => {
    const here = await testBench([])
    await here.work({}, [counting('turn')])
    await expect.poll(async () => (await here.counts())['turn'], within).toBeGreaterThan(3)
  })

  it('runs in one process, and in another process when the first stops', async () => {
    const store = await testStore(...benchCollections)
    const [one, two] = [await testBench([], { store }), await testBench([], { store })]
    const first = await one.work({}, [counting('one')])
    await expect.poll(() => holder(store), within).toBe(first.ownerId)
    const second = await two.work({}, [counting('two')])
    await expect.poll(async () => (await one.counts())['one'], within).toBeGreaterThan(20)
    expect((await two.counts())['two']).toBeUndefined()

    await first.stop()
    await expect.poll(async () => (await two.counts())['two'], within).toBeGreaterThan(0)
    expect(await holder(store)).toBe(second.ownerId)
    const before = (await one.counts())['one']
    await expect.poll(async () => (await two.counts())['two'], within).toBeGreaterThan(5)
    expect((await one.counts())['one']).toBe(before)
  })

  it('that keeps no lease works alone, and leaves the work to another process', async () => {
    const store = await testStore(...benchCollections)
    const [one, two] = [await testBench([], { store }), await testBench([], { store })]
    await one.work({ heartbeatMs: 20 }, [{ ...counting('one'), keepsLease: () => false }])
    await expect.poll(async () => (await one.counts())['one'], within).toBeGreaterThan(2)
    const second = await two.work({ heartbeatMs: 20 }, [counting('two')])
    await expect.poll(() => holder(store), within).toBe(second.ownerId)
    const before = (await one.counts())['one']
    await expect.poll(async () => (await two.counts())['two'], within).toBeGreaterThan(5)
    expect((await one.counts())['one']).toBe(before)
    await second.stop()
    await expect.poll(async () => (await one.counts())['one'], within).toBeGreaterThan(before ?? 0)
  })

  it('continues after a failure, which is logged', async () => {
    let runs = 0
    const here = await testBench([])
    const failing = worker(async () => {
      runs += 1
      throw new Error('no')
    })
    await here.work({}, [failing])
    await expect.poll(() => runs, within).toBeGreaterThan(2)
    expect(here.log.lines).toContainEqual({
      level: 'error',
      message: 'periodic work failed',
      fields: expect.objectContaining({ worker: 'sample.sweep' }),
    })
  })

  it('is aborted when its process stops, and releases its lease', async () => {
    const entered = Promise.withResolvers<void>()
    const here = await testBench([])
    const endless = worker(async ({ signal }) => {
      entered.resolve()
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const workers = await here.work({}, [endless])
    await entered.promise
    await workers.stop()
    expect(await holder(here.store)).toBe('')
    expect(await here.store.count(owners)).toBe(0)
    expect(here.log.lines).toEqual([])
  })

  it('writes nothing under a lease that another process has taken, and takes the lease again later', async () => {
    const store = await testStore(...benchCollections)
    const entered = Promise.withResolvers<Turn>()
    const here = await testBench([], { store })
    let runs = 0
    const slow = worker(async turn => {
      runs += 1
      if (runs > 1) return turn.tx(tx => count(tx, 'again'))
      entered.resolve(turn)
      await new Promise(resolve => turn.signal.addEventListener('abort', resolve))
      await turn.tx(tx => count(tx, 'late'))
    })
    await here.work({}, [slow])
    const { signal } = await entered.promise
    await takeLease(store)
    await expect.poll(() => signal.reason, within).toMatchObject({ name: 'LeaseLost' })
    await expect.poll(async () => (await here.counts())['again'], within).toBeGreaterThan(0)
    expect((await here.counts())['late']).toBeUndefined()
  })

  it('begins no run after a pause longer than its lease, even if the store had confirmed the lease', async () => {
    const store = await testStore(...benchCollections)
    const stall = stallable(store)
    const here = await testBench([], { store: stall.store })
    let runs = 0
    const leaseMs = 200
    // A paused process sends no heartbeat; the long interval has the same effect.
    const workers = await here.work({ leaseMs, heartbeatMs: 60_000 }, [worker(async () => void (runs += 1))])
    await expect.poll(() => runs, within).toBeGreaterThan(0)
    const resume = await stall.afterAnswer()
    const [before, since] = [runs, performance.now()]
    await takeLease(store)
    await expect.poll(() => performance.now() - since, within).toBeGreaterThan(leaseMs)
    resume()
    await workers.stop()
    expect(runs).toBe(before)
  })

  it.each<[string, number, number]>([
    ['that does not live', noon - 60_000, noon + 10_000],
    ['whose lease has expired', noon, noon - 1],
  ])('is taken over from a process %s', async (_name, heartbeat, leaseUntil) => {
    const store = await testStore(...benchCollections)
    await store.tx(async tx => {
      const row = { id: 'somebody', host: 'elsewhere', pid: 1, process_start: 0, beats: 1 }
      await tx.insert(owners, { ...row, heartbeat_time: iso(heartbeat) })
      await tx.insert(leases, { id: 'sample.sweep', owner: 'somebody', lease_until: iso(leaseUntil), fence: 4 })
    })
    const here = await testBench([], { store, clock: createClock(() => noon) })
    const { ownerId } = await here.work({ leaseMs: 15_000, heartbeatMs: 5_000 }, [counting('turn')])
    await expect.poll(async () => (await here.counts())['turn'], within).toBeGreaterThan(0)
    expect((await store.get(leases, 'sample.sweep'))?.value).toMatchObject({ owner: ownerId, fence: 5 })
  })
})
