import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallContext } from '../../../../runtime/context.ts'
import { outbox } from '../../../../domain/resources/activity-outbox.ts'
import { createClock } from '../../../../server/clock.ts'
import { operationsCollection } from '../../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../../server/operations/idempotency.ts'
import type { StoredOperation } from '../../../../server/operations/record.ts'
import { dayMs, sweep, type Retention } from '../../../../server/operations/sweep.ts'
import { openSqlite, type SqliteStore } from '../../../../server/store/sqlite.ts'
import { benchCollections, effect, workBench, type WorkBench } from '../../operations/work-bench.ts'
import { operationFields } from '../../sample-area.ts'
import { testFolder } from '../harness.ts'

const operations = operationsCollection<StoredOperation>('sample', operationFields)
const hourMs = dayMs / 24

/** The retention of rows, shorter than the retention of a server, so that a few days exceed it. */
const kept: Retention = { operationsMs: 2 * dayMs, activitiesMs: 2 * dayMs }

interface Life {
  readonly store: SqliteStore
  /** Returns the size of the store on the disk in bytes, including its log. */
  readonly bytes: () => number
  /** Advances the clock by a day with `operationsAnHour` operations an hour, and runs the hourly sweep of a server. */
  readonly day: (operationsAnHour: number) => Promise<void>
  readonly file: string
}

/** Opens a store with a simulated clock. */
async function life(): Promise<Life> {
  const file = join(testFolder(), 'store.sqlite')
  const store = await openSqlite({ file, collections: benchCollections })
  onTestFinished(() => store.close())
  let now = Date.parse('2026-03-01T00:00:00Z')
  const bench = workBench(
    store,
    [{ kind: 'sample.move', steps: [{ name: 'move', run: () => Promise.reject(new Error('not run')) }] }],
    createClock(() => now),
  )
  const turn = { signal: new AbortController().signal, tx: store.tx.bind(store) }
  return {
    store,
    file,
    bytes: () => sizeOf(file) + sizeOf(`${file}-wal`),
    async day(operationsAnHour) {
      for (let hour = 0; hour < 24; hour += 1) {
        now += hourMs
        await load(bench, now, operationsAnHour)
        await sweep(turn, now, [operations], kept)
        while (await store.reclaim());
      }
    },
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Records up to 3 operations by requests with idempotency keys, and `many` operations of the platform in one
 * transaction.
 */
async function load({ operations: records, store }: WorkBench, now: number, many: number): Promise<void> {
  const { procedure: _, ...finished } = effect('sample.move')
  for (let i = 0; i < Math.min(many, 3); i += 1) {
    await records.mutate(callAt(now, `${now}-${i}`), {}, async () => finished)
  }
  await store.tx(async tx => {
    for (let i = 0; i < many; i += 1) await records.begin(tx, finished)
  })
}

const callAt = (now: number, idempotencyKey: string): CallContext => ({
  principal: { id: 'p-1', kind: 'user' },
  method: 'POST',
  path: '/sample/v1/crates',
  requestId: 'r-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  idempotencyKey,
  clientAddress: '127.0.0.1',
  signal: new AbortController().signal,
  now,
})

describe('a store under load for days', () => {
  it('uses no more of the disk after the retention, and returns disk space when the load falls', async () => {
    const { bytes, day, file, store } = await life()
    const sizes: number[] = []
    for (let i = 0; i < 7; i += 1) {
      await day(60)
      sizes.push(bytes())
    }
    const [, , full = 0, ...later] = sizes
    expect(full).toBeGreaterThan(3 * 1024 * 1024)
    expect(Math.max(...later)).toBeLessThan(full * 1.2)
    expect(await store.count(operations)).toBeLessThan(3 * 24 * 65)
    expect(await store.count(outbox)).toBeLessThan(3 * 24 * 65)
    expect(await store.count(rememberedKeys)).toBeLessThan(24 * 4)

    const most = sizeOf(file)
    for (let i = 0; i < 3; i += 1) await day(1)
    expect(sizeOf(file)).toBeLessThan(most / 2)
  })

  it('truncates the log that grew during a long read', async () => {
    const { bytes, day, file } = await life()
    await day(60)
    const reader = new DatabaseSync(file, { readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    await day(150)
    await day(150)
    const most = bytes()
    expect(sizeOf(`${file}-wal`)).toBeGreaterThan(10 * 1024 * 1024)
    reader.close()
    await day(1)
    expect(sizeOf(`${file}-wal`)).toBeLessThan(9 * 1024 * 1024)
    expect(bytes()).toBeLessThan(most / 1.5)
  })

  it('keeps running operations, however old they are', async () => {
    const { day, store } = await life()
    const bench = workBench(
      store,
      [],
      createClock(() => 0),
    )
    await store.tx(async tx => {
      const { procedure: _, ...finished } = effect('sample.move')
      for (const status of ['PENDING', 'RUNNING']) {
        const id = await bench.operations.begin(tx, finished)
        const row = await tx.get(operations, id)
        if (row === undefined) throw new Error('there is no record')
        const { end_time: __, ...open } = row.value
        await tx.update(operations, id, { ...open, status: `SAMPLE_OPERATION_STATUS_${status}` }, row.version)
      }
    })
    await day(1)
    const old: string[] = []
    for await (const { value } of store.each(operations)) if (value.insert_time < '2000') old.push(value.status)
    expect(old.sort()).toEqual(['SAMPLE_OPERATION_STATUS_PENDING', 'SAMPLE_OPERATION_STATUS_RUNNING'])
  })
})
