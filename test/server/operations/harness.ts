import { expect, onTestFinished } from 'vitest'
import type { Clock } from '../../../domain/ports/clock.ts'
import type { Procedure } from '../../../domain/ports/procedures.ts'
import type { Store } from '../../../domain/ports/store.ts'
import { testStore } from '../store/harness.ts'
import { benchCollections, workBench, type WorkBench } from './work-bench.ts'

/** The options of polls: a condition is checked every 5 ms, for at most a minute. */
export const within = { timeout: 60_000, interval: 5 }

/**
 * Opens a bench, by default over a new store. At the end of the test, the log of the bench must have no fault of a
 * worker.
 */
export async function testBench(
  procedures: readonly Procedure<unknown>[],
  { store, clock }: { readonly store?: Store; readonly clock?: Clock } = {},
): Promise<WorkBench> {
  const bench = workBench(store ?? (await testStore(...benchCollections)), procedures, clock)
  return {
    ...bench,
    async work(options, periodic) {
      const workers = await bench.work(options, periodic)
      onTestFinished(async () => {
        await workers.stop()
        expect(bench.log.lines.filter(({ message }) => message.startsWith('durable work cannot'))).toEqual([])
      })
      return workers
    },
  }
}

/** Waits until all work has ended. */
export async function ended(bench: WorkBench): Promise<void> {
  await expect.poll(() => bench.left(), within).toBe(0)
}
