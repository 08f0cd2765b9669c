import type { Collection, Reader, Transaction } from '../../ports/store.ts'
import type { MetricEngine, MetricUsage } from '../metrics/metric-engine.ts'

/** The usage of a workspace, as the server with its telemetry has stored it. */
export interface StoredUsage extends MetricUsage {
  /** The id of the workspace. */
  readonly id: string
}

/** The usage of the workspaces with telemetry, for the servers that do not have it. */
export const usageCollection: Collection<StoredUsage> = { name: 'observability_telemetry_usage', id: 'id' }

/** The usage of a workspace without telemetry. */
const unused: MetricUsage = { activeSeries: 0, samplesLastMinute: 0 }

/** Returns the usage of a workspace that the server with its telemetry has stored last. */
export const storedUsage = async (reader: Reader, workspace: string): Promise<MetricUsage> =>
  (await reader.get(usageCollection, workspace))?.value ?? unused

/** The parts that store usage. */
interface UsageParts {
  readonly metrics: Pick<MetricEngine, 'usage' | 'written'>
  readonly store: Reader
  /** Runs a transaction. */
  readonly tx: <R>(fn: (tx: Transaction) => Promise<R>) => Promise<R>
}

/** Stores the usage of the workspaces that have got samples on this server, if it has changed. */
export async function storeUsage({ metrics, store, tx }: UsageParts): Promise<void> {
  for (const workspace of metrics.written()) {
    const { activeSeries, samplesLastMinute } = await metrics.usage(workspace)
    const before = await storedUsage(store, workspace)
    if (before.activeSeries === activeSeries && before.samplesLastMinute === samplesLastMinute) continue
    await tx(async each => {
      const stored = await each.lock(usageCollection, workspace)
      const row = { id: workspace, activeSeries, samplesLastMinute }
      if (stored) await each.update(usageCollection, workspace, row, stored.version)
      else await each.insert(usageCollection, row)
    })
  }
}

/** Deletes the usage of a purged workspace. */
export async function purgeUsage(tx: Transaction, workspace: string): Promise<void> {
  const stored = await tx.lock(usageCollection, workspace)
  if (stored) await tx.delete(usageCollection, workspace, stored.version)
}
