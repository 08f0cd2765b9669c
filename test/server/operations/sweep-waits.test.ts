import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Store } from '../../../domain/ports/store.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import type { Turn } from '../../../domain/ports/workers.ts'
import { sweep } from '../../../server/operations/sweep.ts'
import { postgresUrl, testStore } from '../store/harness.ts'
import { benchCollections, count } from './work-bench.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const [batch, writers] = [100, 4]
/** The number of expired keys; a statement on PostgreSQL is slower, because it goes to another process. */
const expired = postgresUrl() === undefined ? 2000 : 600

/** Inserts keys that expired yesterday. */
async function fill(store: Store): Promise<void> {
  const row = {
    key_digest: '',
    request_mark: '',
    operations: '',
    operation_id: '',
    expire_time: '2026-02-28T12:00:00Z',
  }
  await store.tx(async tx => {
    for (let i = 0; i < expired; i += 1) await tx.insert(rememberedKeys, { ...row, id: `key-${i}` })
  })
}

it('a sweep admits writers after each batch, and lets the process do other work', async () => {
  const store = await testStore(...benchCollections)
  await fill(store)
  let [swept, inOneTurn, hasTurned] = [0, 0, true]
  const over = new AbortController()
  const turn: Turn = {
    signal: new AbortController().signal,
    async tx(fn) {
      if (!hasTurned) inOneTurn += 1
      hasTurned = false
      setImmediate(() => (hasTurned = true))
      const result = await store.tx(fn)
      if (typeof result === 'number') swept += result
      return result
    },
  }
  const waited: number[] = []
  const write = async (name: string): Promise<void> => {
    // Each write waits for a turn of the event loop, as the requests of remote callers do.
    for (; !over.signal.aborted; await nextTurn()) {
      const before = swept
      await store.tx(tx => count(tx, name))
      waited.push(swept - before)
    }
  }
  const sweeping = sweep(turn, now, []).finally(() => over.abort())
  await Promise.all([sweeping, ...Array.from({ length: writers }, (_, i) => write(`writer ${i}`))])

  expect([swept, await store.count(rememberedKeys)]).toEqual([expired, 0])
  // A writer waits for at most two batches: the batch in progress, and a batch that queued before the writer.
  expect(Math.max(...waited)).toBeLessThanOrEqual(2 * batch)
  expect(waited.length).toBeGreaterThan(expired / batch)
  // The sweep of the next collection begins in the turn in which the sweep of a collection has ended.
  expect(inOneTurn).toBeLessThanOrEqual(1)
})
