import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClock } from '../../../../server/clock.ts'
import { Owner } from '../../../../server/operations/owners.ts'
import { leases, PeriodicWorker } from '../../../../server/operations/periodic.ts'
import { leaseTimes, workCollections } from '../../../../server/operations/workers.ts'
import { mostUnsaved } from '../../../../server/store/sqlite/log-file.ts'
import { logLines } from '../../operations/work-bench.ts'
import { boxes, testStore, type Box } from '../harness.ts'

const box = (id: string): Box => ({ id, name: id })

/** Whether a commit of each level of `PRAGMA synchronous` waits for the disk: levels 1 and 2 are NORMAL and FULL. */
const waits: Readonly<Record<number, boolean>> = { 1: false, 2: true }

/** Records for each further commit of this process, in order, whether it waits for the disk. */
function recordedCommits(): readonly (boolean | undefined)[] {
  const commits: (boolean | undefined)[] = []
  const { exec } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === 'COMMIT') commits.push(waits[Number(Object.values(this.prepare('PRAGMA synchronous').get() ?? {})[0])])
    exec.call(this, sql)
  })
  onTestFinished(() => spy.mockRestore())
  return commits
}

it('waits for the disk at each commit, but those that a crash of the machine may undo', async () => {
  const store = await testStore(boxes)
  const commits = recordedCommits()
  await store.tx(tx => tx.insert(boxes, box('a')))
  await store.tx(tx => tx.insert(boxes, box('b')), { isPassing: true })
  const refused = store.tx(() => Promise.reject(new Error('refused')), { isPassing: true })
  await expect(refused).rejects.toThrow('refused')
  await store.tx(tx => tx.insert(boxes, box('c')))
  await store.tx(tx => tx.insert(boxes, box('d')), { isPassing: true })
  expect(commits).toEqual([true, false, true, false])
  expect(await store.count(boxes)).toBe(4)
})

it('waits for the disk after many commits that need not wait', async () => {
  const store = await testStore(boxes)
  const commits = recordedCommits()
  for (let i = 0; i < 2 * mostUnsaved + 2; i += 1)
    await store.tx(tx => tx.insert(boxes, box(`${i}`)), { isPassing: true })
  const group = [...new Array<boolean>(mostUnsaved).fill(false), true]
  expect(commits).toEqual([...group, ...group])
})

it('renews and gives up leases without waiting for the disk', async () => {
  const store = await testStore(...workCollections)
  const parts = { store, clock: createClock(), log: logLines() }
  const owner = new Owner(parts, leaseTimes)
  const commits = recordedCommits()
  await owner.start()
  const worker = new PeriodicWorker(
    { ...parts, owner },
    { name: 'test.idle', everyMs: 1000, run: async () => undefined },
  )
  worker.start()
  await expect.poll(async () => (await store.get(leases, 'test.idle'))?.value.fence).toBe(1)
  await owner.probe()
  await worker.stop()
  // The heartbeats are two of the row of the process and one of the lease; a slow machine adds further heartbeats.
  expect(commits.length).toBeGreaterThanOrEqual(5)
  expect(new Set(commits.slice(0, mostUnsaved))).toEqual(new Set([false]))
  await owner.stop()
})
