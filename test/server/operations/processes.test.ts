import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { owners } from '../../../server/operations/owners.ts'
import { storeAt, testFolder, testPlace } from '../store/harness.ts'
import { ended, testBench, within } from './harness.ts'
import { haul, type Told } from './shared-worker.ts'
import { benchCollections, type WorkBench } from './work-bench.ts'

const program = fileURLToPath(new URL('./shared-worker.ts', import.meta.url))

interface Worker {
  readonly child: ChildProcess
  readonly told: Told[]
  /** The time of the kill, if the process was killed. */
  killedAt?: number
}

/**
 * Starts a process that works on the store at `place`. The default lease is so long that a slow process keeps its
 * lease. With `until`, the process stalls in its first step until the file `until` exists.
 */
function startWorker(place: string, leaseMs = 60_000, until = ''): Worker {
  const child = spawn(process.execPath, [program, place, String(leaseMs), until], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: Told[] = []
  createInterface({ input: child.stdout }).on('line', line => told.push(JSON.parse(line)))
  return { child, told }
}

async function benchOn(place: string): Promise<WorkBench> {
  return testBench([haul(() => undefined)], { store: await storeAt(place, ...benchCollections) })
}

/** Waits until `processes` processes are at work, then begins `crates` hauls. */
async function begin(here: WorkBench, crates: number, processes: number): Promise<void> {
  await expect.poll(() => here.store.count(owners), within).toBe(processes)
  for (let i = 0; i < crates; i += 1) await here.begin('sample.haul', { crate: `c${i}` })
}

const eachOnce = (crates: number): Record<string, number> =>
  Object.fromEntries(
    Array.from({ length: crates }, (_, i) => ['a', 'b', 'c'].map(step => [`c${i} ${step}`, 1] as const)).flat(),
  )

interface Interval {
  readonly from: number
  readonly to: number
}

/**
 * Returns the intervals in which a process ran each step, keyed by step; a step in progress at the kill lasts until the
 * kill.
 */
function intervals({ told, killedAt = Infinity }: Worker): Map<string, Interval[]> {
  const found = new Map<string, Interval[]>()
  const open = new Map<string, number>()
  for (const { crate, step, event, time } of told) {
    const name = `${crate} ${step}`
    if (event === 'enter') open.set(name, time)
    else found.set(name, [...(found.get(name) ?? []), { from: open.get(name) ?? time, to: time }])
    if (event !== 'enter') open.delete(name)
  }
  for (const [name, from] of open) found.set(name, [...(found.get(name) ?? []), { from, to: killedAt }])
  return found
}

function overlaps(one: Worker, other: Worker): string[] {
  const others = intervals(other)
  return [...intervals(one)].flatMap(([name, runs]) =>
    runs.some(run => others.get(name)?.some(({ from, to }) => from < run.to && run.from < to)) ? [name] : [],
  )
}

it('two processes on one store share the work and never run a step concurrently', async () => {
  const place = await testPlace()
  const here = await benchOn(place)
  const [one, two] = [startWorker(place), startWorker(place)]
  await begin(here, 60, 2)
  await ended(here)
  expect(await here.counts()).toEqual(eachOnce(60))
  await expect.poll(() => one.told.length + two.told.length, within).toBe(2 * 60 * 3)
  expect(one.told.length).toBeGreaterThan(0)
  expect(two.told.length).toBeGreaterThan(0)
  expect(overlaps(one, two)).toEqual([])
})

it('the work of a killed process is taken over immediately, and nothing is done twice', async () => {
  const place = await testPlace()
  const here = await benchOn(place)
  const [one, two] = [startWorker(place), startWorker(place)]
  await begin(here, 60, 2)
  await expect.poll(() => Math.min(one.told.length, two.told.length), within).toBeGreaterThan(10)
  const exited = once(one.child, 'exit')
  one.child.kill('SIGKILL')
  one.killedAt = Date.now()
  await exited
  await ended(here)
  expect(await here.counts()).toEqual(eachOnce(60))
  expect(overlaps(one, two)).toEqual([])
})

it('a process that is paused for longer than its lease commits nothing afterwards', async () => {
  const [place, release] = [await testPlace(), join(testFolder(), 'release')]
  const here = await benchOn(place)
  const stalling = startWorker(place, 1200, release)
  await begin(here, 1, 1)
  await expect.poll(() => stalling.told.length, within).toBe(1)
  const other = startWorker(place, 1200)
  await ended(here)
  await expect.poll(() => other.told.length, within).toBe(6)
  expect(other.told.map(({ event, step }) => `${event} ${step}`)).toEqual(
    ['a', 'b', 'c'].flatMap(step => [`enter ${step}`, `leave ${step}`]),
  )
  writeFileSync(release, '')
  await expect.poll(() => stalling.told.map(({ event }) => event), within).toEqual(['enter', 'lost'])
  expect(await here.counts()).toEqual(eachOnce(1))
})
