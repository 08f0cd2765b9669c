import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openPlace } from '../../server/store/place.ts'
import { benchCollections, workBench, type WorkBench } from '../../server/operations/work-bench.ts'
import { beginAll, instant } from './pending.ts'

/** The number of workspaces with operations. */
export const workspaces = 20

const worker = fileURLToPath(new URL('./operations-worker.ts', import.meta.url))

/**
 * Opens an empty store with `each` pending operations in each workspace, passes its bench to `use`, and returns the
 * result of `use`.
 */
export async function withPending<R>(place: string, each: number, use: (bench: WorkBench) => Promise<R>): Promise<R> {
  const store = await openPlace(place, benchCollections)
  const bench = workBench(store, [instant])
  try {
    await beginAll(bench, workspaces, each)
    return await use(bench)
  } finally {
    await store.close()
  }
}

/**
 * Starts `processes` processes that work on the pending operations of a place; returns the number of operations that
 * end in a second.
 */
export async function drained({ left }: WorkBench, place: string, processes: number): Promise<number> {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [worker, place], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  await Promise.all(children.map(({ stdout }) => once(createInterface({ input: stdout }), 'line')))
  const count = await left()
  const began = performance.now()
  for (const { stdin } of children) stdin.write('go\n')
  while ((await left()) > 0) await sleep(20)
  const perSecond = (count * 1000) / (performance.now() - began)
  for (const { stdin } of children) stdin.end()
  await Promise.all(children.map(child => once(child, 'exit')))
  return perSecond
}
