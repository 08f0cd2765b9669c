import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { owners } from '../../../server/operations/owners.ts'
import { works } from '../../../server/operations/work.ts'
import { storeAt, testPlace } from '../store/harness.ts'
import { effectsOf, move, points } from './crash-procedure.ts'
import { ended, testBench } from './harness.ts'
import { benchCollections, type WorkBench } from './work-bench.ts'

const program = fileURLToPath(new URL('./crash-worker.ts', import.meta.url))

type Worker = ChildProcessByStdio<Writable, Readable, null>

function startWorker(place: string, last: string, ...crates: readonly string[]): Worker {
  const child = spawn(process.execPath, [program, place, last, ...crates], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/**
 * Waits until a worker is dead, and kills the worker after `most` points; returns the points that the worker has
 * printed.
 */
async function pointsOf(child: Worker, most = Infinity): Promise<string[]> {
  const exited = once(child, 'exit')
  const seen: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line)
    if (seen.length === most) child.kill('SIGKILL')
  }
  await exited
  expect(child.signalCode).toBe('SIGKILL')
  return seen
}

/** Opens a bench in this process on the store of a dead process. */
async function restart(place: string): Promise<WorkBench> {
  return testBench([move(() => undefined)], { store: await storeAt(place, ...benchCollections) })
}

async function idsOf({ operations, store }: WorkBench): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of store.each(operations.collection)) ids.push(id)
  return ids
}

describe('a process that is killed', () => {
  it.each(points.map((point, i) => [point, i] as const))(
    'at the point "%s" leaves work that another process completes',
    async (point, i) => {
      const place = await testPlace()
      const seen = await pointsOf(startWorker(place, point, 'c'))
      expect(seen).toEqual(points.slice(0, i + 1))

      const here = await restart(place)
      const [id = ''] = await idsOf(here)
      const left = await here.record(id)
      // The lease is 15 s long: a take-over in less time has noticed the death of the process.
      await here.work({ leaseMs: 15_000, heartbeatMs: 5_000 })
      await ended(here)
      expect(await here.counts()).toEqual(effectsOf('c'))
      const record = await here.record(id)
      expect(record).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_DONE', progress: 100, errors: [] })
      expect(left.progress).toBeLessThanOrEqual(record.progress)
      if (left.start_time !== undefined) expect(record.start_time).toBe(left.start_time)
    },
  )

  it('repeatedly, at any point, leaves every effect done once in the end', async () => {
    const place = await testPlace()
    const crates = Array.from({ length: 12 }, (_, i) => `c${i}`)
    for (const most of [3, 20, 9, 31, 14]) {
      // The kill may be late, so the worker stops after 8 further points and leaves work to the next worker.
      const last = String(most + 8)
      const worker = startWorker(place, last, ...(most === 3 ? crates : []))
      expect((await pointsOf(worker, most)).length).toBeGreaterThanOrEqual(most)
    }
    const here = await restart(place)
    expect(await here.left()).toBeGreaterThan(0)
    await here.work()
    await ended(here)
    expect(await here.counts()).toEqual(Object.assign({}, ...crates.map(effectsOf)))
    for (const id of await idsOf(here)) {
      expect(await here.record(id)).toMatchObject({ status: 'SAMPLE_OPERATION_STATUS_DONE', progress: 100 })
    }
  })
})

it('a process that receives a signal to stop keeps no lease', async () => {
  const place = await testPlace()
  const worker = startWorker(place, '', ...Array.from({ length: 30 }, (_, i) => `c${i}`))
  const exited = once(worker, 'exit')
  for await (const line of createInterface({ input: worker.stdout })) if (line === points[4]) worker.stdin.end()
  await exited
  expect(worker.exitCode).toBe(0)
  const here = await restart(place)
  expect(await here.left()).toBeGreaterThan(0)
  for await (const { value } of here.store.each(works))
    expect(value).toMatchObject({ state: 'QUEUED', lease_owner: '' })
  expect(await here.store.count(owners)).toBe(0)
})
