import { describe, expect, it } from 'vitest'
import { done, type Procedure } from '../../../domain/ports/procedures.ts'
import { claimWork, dueWork } from '../../../server/operations/claim.ts'
import { postgresUrl, testStore } from '../store/harness.ts'
import { ended, testBench, within } from './harness.ts'
import { benchCollections, effect, workBench, type WorkBench } from './work-bench.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

const workspace = (id: string): Scope => ({ type: 'WORKSPACE', id })

/** Begins `many` operations in one transaction; returns their ids. */
function beginMany({ operations, store }: WorkBench, many: number, scope: Scope): Promise<readonly string[]> {
  return store.tx(async tx => {
    const ids: string[] = []
    for (let i = 0; i < many; i += 1) ids.push(await operations.begin(tx, effect('sample.one', {}, scope)))
    return ids
  })
}

/** Returns a procedure whose only step adds the id of its scope to `order`. */
function telling(order: string[]): Procedure<unknown> {
  const run = async ({ scope }: { readonly scope: Scope }) => {
    order.push(scope.id)
    return done()
  }
  return { kind: 'sample.one', steps: [{ name: 'only', run }] }
}

describe('due work', () => {
  async function dueAfter(after: string, many: number, full: readonly string[] = []): Promise<string[]> {
    const here = workBench(await testStore(...benchCollections), [telling([])])
    for (const [id, length] of [
      ['a', 5],
      ['b', 1],
      ['c', 3],
    ] as const)
      await beginMany(here, length, workspace(id))
    const due = await dueWork(here.store, {
      kinds: here.queue.kinds,
      count: many,
      after: `WORKSPACE:${after}`,
      room: lane => (full.includes(lane.slice(-1)) ? 0 : 4),
      except: new Map(),
    })
    return due.map(({ value }) => value.scope.id)
  }

  it.each<[string, string, number, string]>([
    ['from the first', '', 3, 'abc'],
    ['from where it stopped', 'a', 2, 'bc'],
    ['round to the first', 'b', 2, 'ca'],
    ['round to the last one itself', 'c', 3, 'abc'],
    ['again when there is room for more', '', 6, 'abcac'],
    ['until none is left, or no room for more of a lane', '', 20, 'abcacaca'],
  ])('is taken lane by lane, %s', async (_name, after, many, expected) => {
    expect((await dueAfter(after, many)).join('')).toBe(expected)
  })

  it('is not taken from lanes without room', async () => {
    expect((await dueAfter('', 3, ['a'])).join('')).toBe('bcc')
  })
})

it('due work that another process has claimed stays with that process', async () => {
  const here = workBench(await testStore(...benchCollections), [telling([])])
  await beginMany(here, 3, workspace('a'))
  const wanted = { kinds: here.queue.kinds, after: '', room: () => 9, except: new Map() }
  const all = await dueWork(here.store, { ...wanted, count: 3 })
  const claim = (due: typeof all, lease_owner: string) =>
    here.store.tx(tx =>
      claimWork(tx, here.queue, due, { lease_owner, lease_until: '2026-03-01T12:00:00.000Z', now: here.clock.now() }),
    )
  const first = await claim(all.slice(0, 2), 'one')
  const second = await claim(all, 'two')
  expect(first.map(({ id, fence }) => [id, fence])).toEqual(all.slice(0, 2).map(({ id }) => [id, 1]))
  expect(second.map(({ id, lease_owner }) => [id, lease_owner])).toEqual([[all[2]?.id, 'two']])
  expect(await dueWork(here.store, { ...wanted, count: 3 })).toEqual([])
})

it('five thousand operations of one workspace delay an operation of another by no more than one claim', async () => {
  const order: string[] = []
  const store = await testStore(...benchCollections)
  const here = await testBench([telling(order)], { store })
  for (let i = 0; i < 5; i += 1) await beginMany(here, 1000, workspace('busy'))
  await here.work({ concurrency: 4 })
  await expect.poll(() => order.length, within).toBeGreaterThan(20)
  await beginMany(here, 1, workspace('quiet'))
  const begun = order.length
  await expect.poll(() => order.includes('quiet'), within).toBe(true)
  expect(order.indexOf('quiet') - begun).toBeLessThan(2 * 4)
  expect(order.length).toBeLessThan(1000)
  expect(await here.left()).toBeGreaterThan(4000)
})

it('one workspace gets no more than half of the places, however slow its steps are', async () => {
  const released = Promise.withResolvers<void>()
  const entered: string[] = []
  const here = await testBench([
    {
      kind: 'sample.one',
      steps: [
        {
          name: 'only',
          run: async ({ scope }) => {
            entered.push(scope.id)
            if (scope.id === 'slow') await released.promise
            return done()
          },
        },
      ],
    },
  ])
  await beginMany(here, 20, workspace('slow'))
  await here.work({ concurrency: 6 })
  const [quick = ''] = await beginMany(here, 1, workspace('quick'))
  await expect.poll(async () => (await here.record(quick)).status, within).toBe('SAMPLE_OPERATION_STATUS_DONE')
  expect(entered.filter(id => id === 'slow')).toHaveLength(3)
  released.resolve()
  await ended(here)
})

/**
 * The number of operations in thousands. A statement on PostgreSQL goes to another process and is slower, so 2,000
 * operations take as long as 10,000 operations on SQLite.
 */
const thousands = postgresUrl() === undefined ? 10 : 2

it('thousands of operations complete, and a new operation does not wait for them', async () => {
  const store = await testStore(...benchCollections)
  const order: string[] = []
  const here = await testBench([telling(order)], { store })
  for (let i = 0; i < thousands; i += 1) await beginMany(here, 1000, workspace(`w${i}`))
  await here.work()
  const [late = ''] = await beginMany(here, 1, workspace('late'))
  await expect.poll(async () => (await here.record(late)).status, within).toBe('SAMPLE_OPERATION_STATUS_DONE')
  expect(order.indexOf('late')).toBeLessThan(1000)
  await expect.poll(() => here.left(), { timeout: 55_000, interval: 20 }).toBe(0)
  expect(order).toHaveLength(thousands * 1000 + 1)
  let undone = 0
  for await (const { value } of store.each(here.operations.collection)) if (!value.status.endsWith('_DONE')) undone += 1
  expect(undone).toBe(0)
})
