import type { Clock } from '../../../domain/ports/clock.ts'
import type { Effect, Operations } from '../../../domain/ports/operations.ts'
import type { Procedure } from '../../../domain/ports/procedures.ts'
import type { Collection, Store, Transaction } from '../../../domain/ports/store.ts'
import { outbox } from '../../../domain/resources/activity-outbox.ts'
import { outboxAudit } from '../../../server/audit/outbox.ts'
import { createClock } from '../../../server/clock.ts'
import type { Log } from '../../../server/log.ts'
import { areaRecords, operationsCollection } from '../../../server/operations/area-records.ts'
import { rememberedKeys } from '../../../server/operations/idempotency.ts'
import { operationsOf } from '../../../server/operations/operations.ts'
import type { Worker } from '../../../domain/ports/workers.ts'
import type { StoredOperation } from '../../../server/operations/record.ts'
import { WorkQueue } from '../../../server/operations/work-queue.ts'
import { startWorkers, workCollections, type WorkerOptions, type Workers } from '../../../server/operations/workers.ts'
import { works } from '../../../server/operations/work.ts'
import { checkOperation, operationFields, sample, type SampleArea, type SampleOperation } from '../sample-area.ts'
import type { Scope } from '../../../domain/ports/scope.ts'

/** The number of times that an effect has happened; the id is the name of the effect. */
export interface Tally {
  readonly id: string
  readonly count: number
}

export const tallies: Collection<Tally> = { name: 'sample_tallies', id: 'id' }

/** Counts one effect. */
export async function count(tx: Transaction, id: string): Promise<void> {
  const row = await tx.lock(tallies, id)
  if (row === undefined) await tx.insert(tallies, { id, count: 1 })
  else await tx.update(tallies, id, { id, count: row.value.count + 1 }, row.version)
}

/** The collections of a test of durable work. */
export const benchCollections: readonly Collection<never>[] = [
  ...workCollections,
  outbox,
  rememberedKeys,
  tallies,
  operationsCollection<SampleOperation>('sample', operationFields),
]

/** Worker options with short times: tests wait for leases, and retries follow immediately. */
export const quick: Partial<WorkerOptions> = {
  leaseMs: 600,
  heartbeatMs: 100,
  pollMs: 20,
  retryDelaysMs: [1, 2, 4],
  stopGraceMs: 2000,
}

/** A log that keeps its entries in memory. */
export interface LogLines extends Log {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: object }[]
}

export function logLines(): LogLines {
  const lines: LogLines['lines'] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields })
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A worker process on a store; several benches in this process simulate several processes. */
export interface WorkBench {
  readonly store: Store
  readonly clock: Clock
  readonly queue: WorkQueue
  readonly log: LogLines
  readonly operations: Operations<SampleArea>
  /** Begins an operation whose effect is the procedure; returns the id of the operation. */
  begin(kind: string, input?: object, scope?: Scope): Promise<string>
  record(id: string): Promise<StoredOperation>
  /** Returns the counts of all effects, keyed by the name of the effect. */
  counts(): Promise<Readonly<Record<string, number>>>
  /** Returns the number of rows of work; ended work has no row. */
  left(): Promise<number>
  work(options?: Partial<WorkerOptions>, periodic?: readonly Worker[]): Promise<Workers>
}

export const platform: Scope = { type: 'PLATFORM', id: '' }

/** Returns an effect on a crate that a procedure must finish. */
export const effect = (kind: string, input: object = {}, scope = platform): Effect<SampleArea> => ({
  type: 'MOVE',
  resourceType: 'sample.crates',
  resourceId: 'c-1',
  scope,
  procedure: { kind, input },
})

/** Makes a bench of a made area, on a store with `benchCollections`. The method `work` starts the workers. */
export function workBench(
  store: Store,
  procedures: readonly Procedure<unknown>[],
  clock: Clock = createClock(),
): WorkBench {
  const queue = new WorkQueue()
  const log = logLines()
  const records = areaRecords(sample, operationFields)
  queue.declare(records, procedures)
  const operations = operationsOf<SampleArea>(
    { store, clock, queue, audit: outboxAudit(clock, { chain: async () => undefined }) },
    { domain: sample, list: operationFields, check: checkOperation },
  )
  return {
    store,
    clock,
    queue,
    log,
    operations,
    begin: (kind, input, scope) => store.tx(tx => operations.begin(tx, effect(kind, input, scope))),
    async record(id) {
      const stored = await store.get(records.collection, id)
      if (stored === undefined) throw new Error(`there is no operation ${id}`)
      return stored.value
    },
    async counts() {
      const found: Record<string, number> = {}
      for await (const { value } of store.each(tallies)) found[value.id] = value.count
      return found
    },
    left: () => store.count(works),
    work: (options = {}, periodic = []) =>
      startWorkers({ store, clock, log, queue }, periodic, { ...quick, ...options }),
  }
}
