import type { Collection, Store, Transaction } from '../../ports/store.ts'
import type { ObservabilityEnvironment } from '../environment.ts'
import { telemetryStores, type TelemetryEngines, type TelemetryStore } from './telemetry-stores.ts'

/** A purged workspace whose telemetry the server with the files has yet to delete. */
export interface DroppedTelemetry {
  /** The id of the workspace. */
  readonly id: string
}

/** The purged workspaces whose telemetry is left. */
export const droppedCollection: Collection<DroppedTelemetry> = { name: 'observability_dropped_telemetry', id: 'id' }

/** Records that the telemetry of a workspace is to be deleted. */
export async function recordDrop(tx: Transaction, workspace: string): Promise<void> {
  if (await tx.get(droppedCollection, workspace)) return
  await tx.insert(droppedCollection, { id: workspace })
}

type DropParts = Pick<ObservabilityEnvironment, 'failed'> &
  TelemetryEngines<Pick<TelemetryStore, 'drop'>> & { readonly store: Pick<Store, 'each' | 'tx'> }

/** Deletes the telemetry of purged workspaces, on the server that has the files. Failures are logged. */
export async function dropTelemetry({ failed, store, ...engines }: DropParts): Promise<void> {
  for await (const { id } of store.each(droppedCollection)) {
    try {
      for (const telemetry of telemetryStores(engines).values()) await telemetry.drop(id)
      await store.tx(tx => forgetDrop(tx, id))
    } catch (error) {
      failed(error, `taxonomy.workspaces ${id}`)
    }
  }
}

async function forgetDrop(tx: Transaction, workspace: string): Promise<void> {
  const stored = await tx.lock(droppedCollection, workspace)
  if (stored) await tx.delete(droppedCollection, workspace, stored.version)
}
