import type { MetricSample, Observability } from '../../ports/observability.ts'
import type { Reader } from '../../ports/store.ts'
import type { Worker } from '../../ports/workers.ts'
import { timeFilter } from '../../resources/derived-tests.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { activityCollection, type StoredActivity } from './activities-store.ts'
import { rowsInOrder } from './rows-in-order.ts'

/** The time between two samples of the counters, in milliseconds. */
const everyMs = 60_000

/** The time after which an activity has its place in the chain, in milliseconds: the sequencer needs about a second. */
const settledMs = 10_000

/** The number of activities that one read returns; other work of the process runs between two reads. */
const batchSize = 100

/** The largest number of counters in memory; operations of further kinds are not counted. */
const mostCounters = 100_000

const byTime = [
  ['time', 'TIMESTAMP'],
  ['id', 'STRING'],
] as const

type MetricParts = Pick<ObservabilityEnvironment, 'clock' | 'lease' | 'store'> & {
  readonly telemetry: Pick<Observability, 'ingest'>
}

/**
 * Returns the worker that counts the operations of all areas in their workspaces, and sends the counters each minute
 * (observability.md 4.11). The counters begin at 0 on each server that gets the lease: the server with the telemetry.
 */
export function operationMetrics({ clock, lease, store, telemetry }: MetricParts): Worker {
  let current: { readonly tenure: AbortSignal; readonly counts: OperationCounts } | undefined
  return {
    name: 'observability.operationMetrics',
    everyMs,
    keepsLease: () => lease.isHeld,
    async run({ signal }) {
      if (!(await lease.isServing())) return
      const now = clock.now()
      if (current?.tenure !== signal) current = { tenure: signal, counts: new OperationCounts(now - settledMs) }
      await current.counts.read(store, now - settledMs)
      for (const [workspace, metrics] of current.counts.samples(now)) {
        if (signal.aborted) return
        await telemetry.ingest(workspace, { metrics })
      }
    },
  }
}

/** The operations of one kind in a workspace. */
interface Counter {
  readonly workspace: string
  readonly name: MetricSample['name']
  readonly labels: Readonly<Record<string, string>>
  count: number
}

/** Counts the operations in workspaces, read from their activities. */
class OperationCounts {
  readonly #counters = new Map<string, Counter>()
  #until: number

  /** Counts the operations after `since`, in milliseconds since 1970. */
  constructor(since: number) {
    this.#until = since
  }

  /** Counts the operations until a time in milliseconds since 1970 that were not counted before. */
  async read(store: Reader, until: number): Promise<void> {
    const terms = [timeFilter('time', '>', this.#until), timeFilter('time', '<=', until)]
    let after: Parameters<typeof rowsInOrder>[2]
    do {
      const query = { ...rowsInOrder(batchSize, byTime, after), filter: { kind: 'and', terms } as const }
      const { items, next } = await store.page(activityCollection, query)
      for (const { value } of items) this.#count(value)
      after = next
      await nextTurn()
    } while (after)
    this.#until = until
  }

  /** Returns the samples of all counters at a time in milliseconds since 1970, keyed by the workspace. */
  samples(time: number): ReadonlyMap<string, readonly MetricSample[]> {
    const samples = new Map<string, MetricSample[]>()
    for (const { count, labels, name, workspace } of this.#counters.values()) {
      const own = samples.get(workspace) ?? []
      samples.set(workspace, own)
      own.push({ name, type: 'COUNTER', labels, time, value: count })
    }
    return samples
  }

  #count({ action, area, operation_id, outcome, scope_id, scope_type }: StoredActivity): void {
    if (!operation_id || !scope_id || scope_type !== 'OBSERVABILITY_SCOPE_TYPE_WORKSPACE') return
    const key = JSON.stringify([scope_id, area, action, outcome])
    const known = this.#counters.get(key)
    if (known) known.count += 1
    if (known || this.#counters.size >= mostCounters) return
    const labels = { operation: action, outcome: outcome.slice('OBSERVABILITY_ACTIVITY_OUTCOME_'.length).toLowerCase() }
    this.#counters.set(key, { workspace: scope_id, name: `platform_${area}_operations_total`, labels, count: 1 })
  }
}
